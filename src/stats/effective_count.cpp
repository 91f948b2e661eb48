#include "stats/effective_count.hpp"

#include <algorithm>
#include <cmath>

#include "stats/independent_count.hpp"

namespace fathom::stats {
namespace {

constexpr std::size_t stretches = 25;

double side(double value, double median) {
    return value > median ? 1.0 : value < median ? -1.0 : 0.0;
}

/// By how much the mean of the sides varies more than that of independent ones.
double inflation(std::span<const double> in_order, double median) {
    const auto length = in_order.size() / stretches;
    double squares = 0;
    double sum = 0;
    double squares_of_sums = 0;
    for (std::size_t i = 0; i < stretches; ++i) {
        double own = 0;
        for (const double value : in_order.subspan(i * length, length)) {
            const double at = side(value, median);
            own += at;
            squares += at * at;
        }
        sum += own;
        squares_of_sums += own * own;
    }
    if (squares <= 0) {
        return 1;
    }
    const auto count = static_cast<double>(stretches);
    const double between = (squares_of_sums - sum * sum / count) / (count - 1);
    return between / (squares / count);
}

}  // namespace

EffectiveCount effective_count(std::span<const double> in_order, double median) {
    constexpr std::size_t enough = 50;
    const auto n = static_cast<double>(in_order.size());
    double count = independent_count(in_order, median);
    if (in_order.size() >= enough) {
        count = std::min(count, n / std::max(1.0, inflation(in_order, median)));
    }
    count = std::max(2.0, count);
    // The error of a median comes from the values between which it may lie: some 1.35 n / sqrt(count).
    constexpr double values_by_deviation = 1.35;
    const double by_values = values_by_deviation * n / std::sqrt(count);
    const double by_stretches = in_order.size() >= enough ? 1.0 / (stretches - 1) : 0;
    return {.count = count, .freedom = std::max(1.0, 1 / (1 / by_values + by_stretches))};
}

}  // namespace fathom::stats
