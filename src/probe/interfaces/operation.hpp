#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>

namespace fathom::probe {

class Traced;

/// What an operation counted on one rank besides its time, by name: sums over calls.
using Tally = std::map<std::string, double>;

/// One operation of one message size on one rank: its buffers, its call and its data check.
class Operation {
  public:
    Operation() = default;
    Operation(const Operation&) = delete;
    Operation& operator=(const Operation&) = delete;
    virtual ~Operation() = default;

    /// One repetition: the only thing that is timed.
    virtual void call() = 0;

    /// Makes ready for the next call, before every one: other memory, another root, another partner. `rep`
    /// numbers the repetitions of a point identically on all ranks; whatever changes between repetitions
    /// depends on it. Not timed, except between calls in a row.
    virtual void next(std::int64_t /*rep*/) {}

    /// Several calls one after the other as one repetition, with next(rep) between them.
    virtual void calls(std::int64_t count, std::int64_t rep) {
        call();
        for (std::int64_t i = 1; i < count; ++i) {
            next(rep);
            call();
        }
    }

    /// After a series of calls, not timed: a rank whose part is done waits here, inside the library, for
    /// those that still need it. On all ranks or on none.
    virtual void end_series() {}

    /// The period of repetitions of different kinds: data are checked in this many.
    [[nodiscard]] virtual std::int64_t cycle() const { return 1; }

    /// Calls or messages that a repetition is made of: a time is the duration divided by it.
    [[nodiscard]] virtual std::int64_t parts() const { return 1; }

    /// Sets inputs to known values and outputs to wrong ones, for the call that next() was called for.
    virtual void prepare_check() = 0;
    /// Whether the outputs follow from the inputs of all ranks: empty if so, else what is wrong.
    [[nodiscard]] virtual std::string check() const = 0;
    /// The memory that a call fills and check() inspects, for tests that corrupt it; that of the last thread
    /// that gets something, and empty if this rank gets nothing.
    [[nodiscard]] virtual std::span<std::byte> received() { return {}; }

    /// What was counted since the last call.
    virtual Tally take_tally() { return {}; }

    /// What records time stamps inside its calls; none for most. On all ranks or on none.
    [[nodiscard]] virtual Traced* traced() { return nullptr; }

    /// What a reader of its times should know of this rank, for people; empty if nothing.
    [[nodiscard]] virtual std::string remark() const { return {}; }

    /// Whether threads of its own have to share cores, on this rank or another of its host: then preemption
    /// is part of what is measured.
    [[nodiscard]] virtual bool shares_cores() const { return false; }

    /// The MPI datatype of the message, for people; empty where there is none.
    [[nodiscard]] virtual std::string datatype() const { return {}; }
};

}  // namespace fathom::probe
