#include "stats/mean.hpp"

#include <cstddef>

namespace fathom::stats {

double mean(std::span<const double> values) {
    // Kahan's compensation.
    double sum = 0;
    double lost = 0;
    for (const double value : values) {
        const double term = value - lost;
        const double next = sum + term;
        lost = (next - sum) - term;
        sum = next;
    }
    return sum / static_cast<double>(values.size());
}

double variance(std::span<const double> values) {
    if (values.size() < 2) {
        return 0;
    }
    const double middle = mean(values);
    double squares = 0;
    for (const double value : values) {
        squares += (value - middle) * (value - middle);
    }
    return squares / static_cast<double>(values.size() - 1);
}

std::span<const double> middle_half(std::span<const double> sorted) {
    const std::size_t cut = sorted.size() / 4;
    return sorted.subspan(cut, sorted.size() - 2 * cut);
}

}  // namespace fathom::stats
