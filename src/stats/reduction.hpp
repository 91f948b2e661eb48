#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "stats/summary.hpp"

namespace fathom::stats {

struct Reduced {
    double value = 0;
    std::optional<Interval> ci95;  ///< absent where there are too few values, and for min and max
};

/// How the repetitions of a point become one number.
class Reduction {
  public:
    /// `median`, `mean`, `min`, `max`, `skampi-middle` (the mean without the slowest and the fastest quarter)
    /// or a quantile from `p0` to `p100`, such as `p99.9`. Anything else throws BadInput.
    static Reduction parse(std::string_view name);

    [[nodiscard]] const std::string& name() const { return name_; }

    /// Nothing for an empty series. The order matters to the interval alone: serial correlation widens
    /// it. Means have Student's interval (that of a trimmed mean for the middle half), the median
    /// and quantiles one by order statistics.
    [[nodiscard]] std::optional<Reduced> reduce(std::span<const double> in_order) const;

  private:
    enum class Kind { mean, min, max, middle, quantile };
    Reduction(Kind kind, std::string name, double share)
        : kind_(kind), name_(std::move(name)), share_(share) {}

    Kind kind_;
    std::string name_;
    double share_;  ///< of a quantile
};

}  // namespace fathom::stats
