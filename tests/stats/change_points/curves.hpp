#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "stats/change_points/curve_point.hpp"
#include "stats/quantile_ci.hpp"

namespace fathom::stats {

/// Nanoseconds by bytes.
using Curve = std::function<double(double)>;

inline Curve line(double latency, double slope) {
    return [=](double x) { return latency + slope * x; };
}

/// One law up to and including a size, another from there on.
inline Curve switching(std::int64_t last_below, Curve below, Curve above) {
    return [=](double x) { return x <= static_cast<double>(last_below) ? below(x) : above(x); };
}

inline CurvePoint simulated(const Curve& curve, std::int64_t x) {
    const double t = curve(static_cast<double>(x));
    return {x, t, t, t};
}

/// Single times with 2 % of normal noise, reduced to their median.
inline CurvePoint measured(const Curve& curve, std::int64_t x, std::mt19937_64& random,
                           int repetitions = 200) {
    const double t = curve(static_cast<double>(x));
    std::normal_distribution<double> noise(t, 0.02 * t);
    std::vector<double> times;
    for (int i = 0; i < repetitions; ++i) {
        times.push_back(noise(random));
    }
    const auto found = quantile_estimate(times, 0.5);
    return {x, found.value, found.ci95.value().low, found.ci95->high};
}

/// 1 byte to 4 MiB.
template <typename Measure>
std::vector<CurvePoint> doubling_sizes(const Measure& measure) {
    std::vector<CurvePoint> points;
    for (std::int64_t x = 1; x <= 4 << 20; x *= 2) {
        points.push_back(measure(x));
    }
    return points;
}

}  // namespace fathom::stats
