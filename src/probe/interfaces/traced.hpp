#pragma once

#include <cstdint>
#include <vector>

#include "journal/events.hpp"

namespace fathom::probe {

/// Time stamps from inside calls on one rank.
struct Trace {
    std::vector<journal::CallEvent> events;  ///< oldest first, calls numbered as by Traced::calls
    std::int64_t dropped = 0;                ///< events that found no room
};

/// What records time stamps inside its calls.
class Traced {
  public:
    Traced() = default;
    Traced(const Traced&) = delete;
    Traced& operator=(const Traced&) = delete;
    virtual ~Traced() = default;

    /// Calls so far: what the next one is numbered with, the same on all ranks.
    [[nodiscard]] virtual std::int64_t calls() const = 0;
    /// The most that one call may leave on this rank.
    [[nodiscard]] virtual std::int64_t events_per_call() const = 0;
    /// Begins to record afresh: what is there is discarded, and a window of time begins with the next call.
    virtual void begin_trace() = 0;
    /// What was recorded since the last time.
    virtual Trace take_trace() = 0;
};

}  // namespace fathom::probe
