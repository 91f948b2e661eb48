#include "stats/change_points/line_segments.hpp"

#include <limits>

#include "stats/least_squares.hpp"

namespace fathom::stats {
namespace {

/// Sum of squared deviations from the best line, each in units of what is tolerable.
double misfit(std::span<const double> x, const ToleratedSeries& series, std::size_t begin, std::size_t end) {
    const auto part = [&](std::span<const double> values) { return values.subspan(begin, end - begin); };
    std::vector<double> weights;
    for (const double tolerance : part(series.tolerances)) {
        weights.push_back(1 / (tolerance * tolerance));
    }
    return LineFit(part(x), part(series.values), weights).chi_square();
}

}  // namespace

std::vector<std::size_t> line_segments(std::span<const double> x, std::span<const ToleratedSeries> series,
                                       std::size_t least) {
    if (x.size() < 2 * least) {
        return {x.size()};
    }
    // A further line has to mend what several places are off by.
    constexpr double price_of_a_line = 3;
    const double price = price_of_a_line * static_cast<double>(series.size());
    constexpr double out_of_reach = std::numeric_limits<double>::infinity();
    std::vector<double> best(x.size() + 1, out_of_reach);  // of all places before this one
    std::vector<std::size_t> begins(x.size() + 1, 0);
    best[0] = 0;
    for (auto end = least; end <= x.size(); ++end) {
        for (std::size_t begin = 0; begin + least <= end; ++begin) {
            if (best[begin] == out_of_reach) {
                continue;
            }
            double cost = best[begin] + price;
            for (const auto& one : series) {
                cost += misfit(x, one, begin, end);
            }
            if (cost < best[end]) {
                best[end] = cost;
                begins[end] = begin;
            }
        }
    }
    std::vector<std::size_t> ends;
    for (auto end = x.size(); end > 0; end = begins[end]) {
        ends.insert(ends.begin(), end);
    }
    return ends;
}

}  // namespace fathom::stats
