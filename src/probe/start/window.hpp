#pragma once

#include "clock/model.hpp"
#include "probe/interfaces/clock.hpp"
#include "probe/interfaces/group.hpp"
#include "probe/interfaces/start.hpp"

namespace fathom::probe {

/// Equal slots on the global clock: repetition i of a series starts at the beginning of slot i. A rank that
/// comes late, or is not done when its slot ends, makes the repetition invalid; too many of those enlarge the
/// slot.
class Window : public Start {
  public:
    /// `slot` is the first guess, from warm-up calls.
    Window(Group& group, const Clock& clock, const clock::DriftModel& model, Nanoseconds slot);

    void begin(std::int64_t count) override;
    bool align() override;
    [[nodiscard]] bool in_time(Nanoseconds end) override;
    void adapt(std::int64_t invalid, std::int64_t count) override;
    [[nodiscard]] Nanoseconds least_rep() const override { return slot_; }

    /// The share of invalid repetitions beyond which the slot grows.
    static constexpr double tolerated_share = 0.05;

  private:
    Group& group_;
    const Clock& clock_;
    const clock::DriftModel& model_;
    Nanoseconds slot_;
    Nanoseconds largest_slot_;
    Nanoseconds next_;  // global time at which the next slot begins
};

}  // namespace fathom::probe
