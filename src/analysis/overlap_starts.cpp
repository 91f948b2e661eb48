#include "analysis/overlap_starts.hpp"

#include <algorithm>
#include <cmath>

#include <boost/math/distributions/students_t.hpp>

#include "analysis/overlap_studies.hpp"
#include "analysis/rounds.hpp"
#include "stats/mean.hpp"

namespace fathom::analysis {
namespace {

using Figures = std::vector<std::optional<Reduced>*>;

void add(Figures& figures, Overhead& overhead) {
    figures.insert(figures.end(), {&overhead.overhead_ns, &overhead.availability});
}

void add(Figures& figures, SchemesOverlap& schemes) {
    add(figures, schemes.time_based);
    add(figures, schemes.work_based);
    figures.insert(figures.end(), {&schemes.difference_ns, &schemes.stolen_share});
}

/// All figures of a study but its curve, in one order.
Figures figures_of(OverlapResult& result) {
    Figures figures;
    if (result.message) {
        auto& message = *result.message;
        figures = {&message.base_ns, &message.transfer_ns, &message.knee_ns, &message.work_alone_ns};
        add(figures, message.plain);
        add(figures, message.with_tests);
    }
    if (result.collective) {
        auto& collective = *result.collective;
        figures.push_back(&collective.t_b_ns);
        add(figures, collective.plain);
        for (auto& at : collective.intervals) {
            add(figures, at);
        }
        for (auto& rank : collective.ranks) {
            figures.insert(figures.end(),
                           {&rank.own_time_ns, &rank.time_based_overhead_ns, &rank.work_based_overhead_ns,
                            &rank.availability, &rank.overlap_share, &rank.stolen_share});
        }
    }
    return figures;
}

Reduced over_starts(const std::vector<double>& values) {
    const auto count = static_cast<double>(values.size());
    const double mean = stats::mean(values);
    double squares = 0;
    for (const double value : values) {
        squares += (value - mean) * (value - mean);
    }
    constexpr double upper = 0.975;
    const boost::math::students_t student(count - 1);
    const double reach = boost::math::quantile(student, upper) * std::sqrt(squares / (count - 1) / count);
    const double middle = median_of(values);
    return {.value = middle, .ci95 = stats::Interval{.low = middle - reach, .high = middle + reach}};
}

}  // namespace

OverlapResult together(const std::vector<OverlapResult>& starts) {
    auto all = starts;
    std::vector<Figures> figures;
    for (auto& start : all) {
        figures.push_back(figures_of(start));
    }
    const bool alike = std::all_of(figures.begin(), figures.end(),
                                   [&](const auto& other) { return other.size() == figures.front().size(); });
    auto& result = all.front();
    if (starts.size() < 2 || !alike) {
        return result;
    }
    for (std::size_t i = 0; i < figures.front().size(); ++i) {
        std::vector<double> values;
        for (const auto& start : figures) {
            if (*start[i]) {
                values.push_back((*start[i])->value);
            }
        }
        if (values.size() == starts.size()) {
            *figures.front()[i] = over_starts(values);
        }
    }
    result.verdict = progress_verdict(result);
    return result;
}

}  // namespace fathom::analysis
