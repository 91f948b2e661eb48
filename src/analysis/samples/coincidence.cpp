#include "analysis/samples/coincidence.hpp"

#include <algorithm>
#include <cmath>

#include "stats/quantile.hpp"
#include "stats/student.hpp"

namespace fathom::analysis {

RepetitionRange RepetitionsInTime::during(const Stretch& stretch) const {
    const auto first = std::partition_point(when_.begin(), when_.end(), [&](const Stretch& rep) {
        return rep.start != stretch.start ? rep.start < stretch.start : rep.end <= stretch.begin;
    });
    const auto end = std::partition_point(first, when_.end(), [&](const Stretch& rep) {
        return rep.start != stretch.start ? rep.start < stretch.start : rep.begin < stretch.end;
    });
    return {static_cast<std::size_t>(first - when_.begin()), static_cast<std::size_t>(end - when_.begin())};
}

Nanoseconds RepetitionsInTime::overlap(std::size_t index, const Stretch& stretch) const {
    const auto& rep = when_[index];
    return std::min(rep.end, stretch.end) - std::max(rep.begin, stretch.begin);
}

std::vector<double> whole_times(const Repetitions& repetitions) {
    auto wholes = repetitions.times;
    for (auto& time : wholes) {
        time *= repetitions.parts;
    }
    return wholes;
}

double slow_threshold(const std::vector<double>& times) {
    constexpr double sigmas = 10;
    constexpr double least_share = 0.5;
    auto sorted = times;
    std::sort(sorted.begin(), sorted.end());
    const double median = stats::quantile(sorted, 0.5);
    for (auto& time : sorted) {
        time = std::abs(time - median);
    }
    std::sort(sorted.begin(), sorted.end());
    const double mad = stats::quantile(sorted, 0.5);
    return median + std::max(sigmas * stats::mad_to_sigma * mad, least_share * median);
}

}  // namespace fathom::analysis
