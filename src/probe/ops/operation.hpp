#pragma once

#include <string>

namespace fathom::probe {

/// One operation of one message size on one rank: its buffers, its call and its data check.
class Operation {
  public:
    Operation() = default;
    Operation(const Operation&) = delete;
    Operation& operator=(const Operation&) = delete;
    virtual ~Operation() = default;

    /// One repetition: the only thing that is timed.
    virtual void call() = 0;

    /// Makes ready for the next repetition: other memory, another root. Not timed, except between calls in a
    /// row.
    virtual void next() {}

    /// Sets inputs to known values and outputs to wrong ones.
    virtual void prepare_check() = 0;
    /// Whether the outputs are what the inputs of all ranks make them: empty if so, else what is wrong.
    [[nodiscard]] virtual std::string check() const = 0;

    /// The MPI datatype of the message, for people; empty where there is none.
    [[nodiscard]] virtual std::string datatype() const { return {}; }
};

}  // namespace fathom::probe
