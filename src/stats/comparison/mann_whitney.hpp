#pragma once

#include <cstddef>
#include <span>

namespace fathom::stats {

/// What a rank test says of two samples.
struct RankTest {
    double superiority = 0.5;  ///< chance that a value of the second exceeds one of the first, ties by half
    double p_value = 1;        ///< two-sided
};

/// Mann and Whitney's test of two sorted samples, by the normal approximation with a correction for ties
/// (Mann and Whitney 1947; Lehmann, Nonparametrics, 1975). For series with serial correlation the sample
/// sizes are the effective ones.
RankTest mann_whitney(std::span<const double> sorted_a, std::span<const double> sorted_b, double size_a,
                      double size_b);

/// The same for small samples without ties, exactly: from all orders of the values. Ties count by half, and
/// the p value is that of the nearer middle.
RankTest exact_mann_whitney(std::span<const double> a, std::span<const double> b);

/// The smallest p value that the exact test of so many values can have.
double smallest_mann_whitney_p(std::size_t count_a, std::size_t count_b);

}  // namespace fathom::stats
