#pragma once

#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

namespace fathom::stats {

/// Normal values of deviation 1, each of which resembles the one before.
inline std::vector<double> correlated(std::mt19937_64& random, std::size_t count, double correlation) {
    std::normal_distribution<double> noise;
    std::vector<double> values(count);
    double last = noise(random);
    for (auto& value : values) {
        value = last;
        last = correlation * last + std::sqrt(1 - correlation * correlation) * noise(random);
    }
    return values;
}

/// Each value of a series put through a function.
template <typename Function>
std::vector<double> mapped(std::vector<double> values, Function function) {
    for (auto& value : values) {
        value = function(value);
    }
    return values;
}

}  // namespace fathom::stats
