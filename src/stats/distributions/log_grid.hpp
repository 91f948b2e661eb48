#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace fathom::stats {

/// Bins of one width in the logarithm: bin i holds low x ratio^i up to, but not including, low x ratio^(i +
/// 1).
struct LogGrid {
    double low = 1;
    double ratio = 2;
    int bins = 1;

    /// The lower end of a bin; that of `bins` is the end of the last one.
    [[nodiscard]] double edge(int bin) const;
};

/// The grid that holds all values from the smallest to the largest one in at most so many bins, none of which
/// is narrower than `quantum`, the step in which values come. Values below a tenth of the quantum are taken
/// for that.
LogGrid log_grid(double smallest, double largest, double quantum, int most_bins);

/// How many values are in each bin; those outside are counted in the first or the last one.
std::vector<std::int64_t> counts_on(const LogGrid& grid, std::span<const double> values);

}  // namespace fathom::stats
