#pragma once

#include <span>

namespace fathom::stats {

/// A deviation from what was expected, and the standard error it is known with.
struct Deviation {
    double value = 0;
    double error = 0;
};

/// By how much deviations scatter around their middle beyond their errors: the standard deviation that makes
/// the middle half of them what it is for normal ones. A few that are far off do not count. At most `most`.
double excess_scatter(std::span<const Deviation> deviations, double most);

/// Degrees of freedom that such a scatter of so many deviations is known with: a middle half tells 37 % of
/// what all would.
double freedom_of_scatter(std::size_t count);

/// The middle of variances of samples with these degrees of freedom, on the footing of a mean: a few that
/// are far off do not count. 0 for none.
struct OwnVariance {
    double value = 0;
    double freedom = 1;
};
double middle_variance(std::span<const OwnVariance> variances);

}  // namespace fathom::stats
