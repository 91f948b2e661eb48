#pragma once

#include <optional>
#include <vector>

#include "clock/model.hpp"
#include "probe/interfaces/clock.hpp"
#include "probe/interfaces/group.hpp"
#include "probe/interfaces/start.hpp"

namespace fathom::probe {

/// Rank 0 announces every start as now + margin on the global clock, with our own binomial broadcast. No
/// slots: a repetition takes as long as it takes. The margin is learned from how long announcements were
/// under way.
class RoundTime : public Start {
  public:
    /// Ranks receive a start when they have finished the call before, so the first guess needs to know how
    /// long that takes.
    RoundTime(Group& group, const Clock& clock, const clock::DriftModel& model, Nanoseconds longest_call)
        : group_(group),
          clock_(clock),
          model_(model),
          margin_{first_margin.count + longest_call.count + longest_call.count / 2} {}

    bool align() override;
    void adapt(std::int64_t invalid, std::int64_t count) override;
    [[nodiscard]] Nanoseconds least_rep() const override { return margin_; }

  private:
    static constexpr Nanoseconds first_margin{100'000};

    Group& group_;
    const Clock& clock_;
    const clock::DriftModel& model_;
    Nanoseconds margin_;
    // Of the present series.
    std::vector<std::int64_t> under_way_ns_;  // announcements
    std::optional<Nanoseconds> started_;      // the last call
    Nanoseconds longest_call_{0};
};

}  // namespace fathom::probe
