#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace fathom::stats {

/// Decides when a point has been repeated often enough.
class StopRule {
  public:
    StopRule() = default;
    StopRule(const StopRule&) = delete;
    StopRule& operator=(const StopRule&) = delete;
    virtual ~StopRule() = default;

    /// Times of further repetitions, in their order.
    virtual void add(std::span<const double> times) = 0;
    [[nodiscard]] virtual bool reached() const = 0;
    /// How near the goal is, for a point that hit a limit first: `the 95 % interval is 3.1 % of the median,
    /// target 2 %`. Empty if nothing can be said.
    [[nodiscard]] virtual std::string state() const = 0;
};

/// So many repetitions, whatever they say.
std::unique_ptr<StopRule> fixed_rule(std::int64_t repetitions);

/// The 95 % interval of the median, corrected for serial correlation, is narrower than this share of it.
/// Holds at most 65,536 times: of a longer series every second, fourth ... one, and the interval is that of
/// those.
std::unique_ptr<StopRule> median_ci_rule(double share);

/// SKaMPI's: the relative standard error of the mean of the middle half is below epsilon, and the times add
/// up to at least clock tick / epsilon. Holds at most 65,536 times: the deviation is that of every second,
/// fourth ... one of a longer series, the number that of all.
std::unique_ptr<StopRule> skampi_rule(double epsilon, double clock_tick);

}  // namespace fathom::stats
