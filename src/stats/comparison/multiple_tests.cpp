#include "stats/comparison/multiple_tests.hpp"

#include <algorithm>
#include <numeric>

namespace fathom::stats {

std::vector<double> holm(std::span<const double> p_values) {
    std::vector<std::size_t> order(p_values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
    std::vector<double> corrected(p_values.size());
    double largest = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const auto left = static_cast<double>(order.size() - i);
        largest = std::max(largest, std::min(1.0, p_values[order[i]] * left));
        corrected[order[i]] = largest;
    }
    return corrected;
}

}  // namespace fathom::stats
