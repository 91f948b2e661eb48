#include "analysis/samples/duplex.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "analysis/samples/sample_time.hpp"
#include "stats/summary.hpp"

namespace fathom::analysis {
namespace {

/// Of two independent medians, from the interval of each: distances on the logarithmic scale add up by their
/// squares (Zou and Donner, 2008).
stats::Interval ratio_interval(double over, const stats::Interval& over_ci, double under,
                               const stats::Interval& under_ci) {
    const double ratio = over / under;
    return {
        .low = ratio * std::exp(-std::hypot(std::log(over / over_ci.low), std::log(under_ci.high / under))),
        .high = ratio * std::exp(std::hypot(std::log(over_ci.high / over), std::log(under / under_ci.low)))};
}

}  // namespace

DuplexVerdict duplex_of(double ratio) {
    constexpr double full_below = 1.25;
    constexpr double none_above = 1.75;
    return ratio < full_below   ? DuplexVerdict::full
           : ratio > none_above ? DuplexVerdict::none
                                : DuplexVerdict::partly;
}

std::vector<Measure> duplex_measures(const std::vector<double>& one_way, const std::vector<double>& at_once) {
    const auto under = stats::summarise(one_way);
    const auto over = stats::summarise(at_once);
    if (!under || !over || under->median <= 0) {
        return {};
    }
    Measure measure{.kind = MeasureKind::duplex_ratio, .value = over->median / under->median, .ci95 = {}};
    if (under->median_ci95 && over->median_ci95 && under->median_ci95->low > 0 &&
        over->median_ci95->low > 0) {
        measure.ci95 = ratio_interval(over->median, *over->median_ci95, under->median, *under->median_ci95);
    }
    return {measure};
}

std::vector<Measure> duplex_measures(const store::Store& store, const store::PointRow& point) {
    const SampleTime time(store, point);
    std::vector<std::optional<double>> slowest;  // of each repetition; nothing if it is not valid
    store.visit_samples(
        point.id, [&](int rank, std::int64_t first_rep, const std::vector<journal::Sample>& samples) {
            const auto begin = static_cast<std::size_t>(first_rep);
            slowest.resize(std::max(slowest.size(), begin + samples.size()), 0.0);
            for (std::size_t i = 0; i < samples.size(); ++i) {
                auto& rep = slowest[begin + i];
                rep = rep && samples[i].valid ? std::optional(std::max(*rep, time.of(rank, samples[i])))
                                              : std::nullopt;
            }
        });
    std::vector<double> one_way;
    std::vector<double> at_once;
    for (std::size_t rep = 0; rep < slowest.size(); ++rep) {
        if (!slowest[rep]) {
            continue;
        }
        if (rep % 2 == 0) {
            one_way.push_back(*slowest[rep] / 2);
        } else {
            at_once.push_back(*slowest[rep]);
        }
    }
    return duplex_measures(one_way, at_once);
}

}  // namespace fathom::analysis
