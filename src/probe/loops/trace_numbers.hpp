#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "probe/interfaces/traced.hpp"
#include "probe/loops/wrapped_operation.hpp"

namespace fathom::probe {

/// Relates calls as an operation numbers them to the repetitions of a point: call i of repetition r becomes
/// r * calls_per_rep + i. Other calls, to warm up or to lead in, have no number.
class TraceNumbers {
  public:
    explicit TraceNumbers(std::int64_t calls_per_rep) : calls_per_rep_(calls_per_rep) {}

    /// Repetition `rep` begins with this call. Where it begins several times, the last time is the timed one.
    void begin(std::int64_t rep, std::int64_t call);

    /// The number of a call within the point; nothing if it belongs to no repetition.
    [[nodiscard]] std::optional<std::int64_t> in_point(std::int64_t call) const;

    /// Numbers all events by that, and leaves out those of other calls.
    [[nodiscard]] std::vector<journal::CallEvent> renumbered(std::vector<journal::CallEvent> events) const;

  private:
    /// From this call on, repetitions follow each other without other calls in between.
    struct Stretch {
        std::int64_t call;
        std::int64_t rep;
    };

    std::int64_t calls_per_rep_;
    std::vector<Stretch> stretches_;
    std::int64_t last_rep_ = 0;
};

/// An operation that tells such numbers when a repetition begins. Outermost: calls in a row are one
/// repetition.
class Numbered : public WrappedOperation {
  public:
    Numbered(Operation& operation, TraceNumbers* numbers) : WrappedOperation(operation), numbers_(numbers) {}

    void next(std::int64_t rep) override {
        if (const auto* traced = wrapped().traced(); traced != nullptr && numbers_ != nullptr) {
            numbers_->begin(rep, traced->calls());
        }
        wrapped().next(rep);
    }

  private:
    TraceNumbers* numbers_;
};

}  // namespace fathom::probe
