#pragma once

#include <algorithm>
#include <cstdint>

#include "base/ticks.hpp"
#include "collectives/event_ring.hpp"
#include "tree/tree.hpp"

namespace fathom::collectives {

/// What reads the time for events: the processor's counter, whose ticks whoever empties the ring converts, or
/// a plain function, so that any clock and a simulated one serve.
struct TimeSource {
    bool ticks = false;  ///< then there is no function
    std::int64_t (*read)(const void* state) = nullptr;
    const void* state = nullptr;
};

/// Which calls leave events. Times are the source's, from the first call on; ranks near the ends of a window
/// may disagree about a call, which is then incomplete.
struct TraceChoice {
    std::uint32_t every = 1;
    std::int64_t from = 0;
    std::int64_t until = INT64_MAX;
};

/// Chooses the calls that a thread records, stamps what happens in them, and keeps the events.
class Tracer {
  public:
    Tracer() = default;
    /// nullptr: nothing is recorded.
    Tracer(EventRing* ring, TimeSource time, const TraceChoice& choice)
        : ring_(time.ticks || time.read != nullptr ? ring : nullptr), time_(time), choice_(choice) {
        choice_.every = std::max<std::uint32_t>(choice.every, 1);
    }

    /// Whether to record a call that begins now.
    bool chooses(std::uint32_t call) {
        if (ring_ == nullptr) [[likely]] {
            return false;
        }
        return (!windowed() || in_window()) && call % choice_.every == 0;
    }

    /// When something was seen.
    [[nodiscard]] std::int64_t time_after() const {
        return time_.ticks ? static_cast<std::int64_t>(ticks_after()) : time_.read(time_.state);
    }
    /// When something is about to be written.
    [[nodiscard]] std::int64_t time_before() const {
        return time_.ticks ? static_cast<std::int64_t>(ticks_about_now()) : time_.read(time_.state);
    }

    /// Unless nothing happened at the collector.
    void keep(const tree::Event& event) {
        if (event.down_ns != tree::Event::never || event.up_ns != tree::Event::never) {
            ring_->put(event);
        }
    }

  private:
    [[nodiscard]] bool windowed() const { return choice_.from > 0 || choice_.until < INT64_MAX; }
    bool in_window() {
        const auto time = time_before();
        if (first_call_ == tree::Event::never) {
            first_call_ = time;
        }
        const auto since = time - first_call_;
        return since >= choice_.from && since < choice_.until;
    }

    EventRing* ring_ = nullptr;
    TimeSource time_;
    TraceChoice choice_;
    std::int64_t first_call_ = tree::Event::never;  // known if there is a window
};

}  // namespace fathom::collectives
