#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace fathom::stats {

/// Counts in bins of one width: bin i holds low + i x width up to, but not including, low + (i + 1) x width.
struct Histogram {
    double low = 0;
    double width = 0;
    std::vector<std::int64_t> counts;
    std::int64_t above = 0;  ///< values beyond the last bin
};

/// Bins from the smallest value to `high`, which the last bin includes. Nothing may be NaN.
Histogram histogram(std::span<const double> values, int bins, double high);

/// As many whole bins as hold all values from `low` up to `high`. Values below `low` count in the first.
Histogram histogram(std::span<const double> values, double low, double width, double high);

/// A width of bins that shows the shape of sorted values between `low` and `high`: by Freedman and Diaconis,
/// but 10 to 200 bins, and whole multiples of `tick` where values are told no finer than that.
double bin_width(std::span<const double> sorted, double low, double high, double tick);

}  // namespace fathom::stats
