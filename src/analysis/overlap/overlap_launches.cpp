#include "analysis/overlap/overlap_launches.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include "analysis/overlap/overlap_studies.hpp"
#include "analysis/overlap/rounds.hpp"
#include "stats/mean.hpp"
#include "stats/quantile.hpp"
#include "stats/student.hpp"

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

/// The median of the launches' figures. Both their spread and the uncertainty of each count: a few
/// that happen to agree are not certain because of it.
Reduced over_starts(const std::vector<Reduced>& figures) {
    const auto count = static_cast<double>(figures.size());
    std::vector<double> values;
    double within = 0;
    for (const auto& figure : figures) {
        values.push_back(figure.value);
        const double half = figure.ci95 ? (figure.ci95->high - figure.ci95->low) / 2 : 0;
        within += half * half / (count * count);
    }
    const auto interval = stats::few_values_ci95(values);
    const double between = (interval.high - interval.low) / 2;
    const double reach = std::sqrt(between * between + within);
    const double middle = stats::median_of(values);
    return {.value = middle, .ci95 = stats::Interval{.low = middle - reach, .high = middle + reach}};
}

/// Launches may have tried different numbers of tests: those that all tried can be merged.
void keep_common_intervals(std::vector<OverlapResult>& launches) {
    using Testing = std::pair<std::int64_t, std::int64_t>;
    std::map<Testing, std::size_t> tried;
    for (const auto& launch : launches) {
        for (const auto& at :
             launch.collective ? launch.collective->intervals : std::vector<SchemesOverlap>{}) {
            ++tried[{at.tests, at.interval_bytes}];
        }
    }
    for (auto& launch : launches) {
        if (launch.collective) {
            std::erase_if(launch.collective->intervals, [&](const auto& at) {
                return tried[{at.tests, at.interval_bytes}] < launches.size();
            });
            choose_best(*launch.collective);  // it is an index into them
        }
    }
}

/// Whether any repetition of a study counted.
bool found_anything(const OverlapResult& launch) {
    return (launch.message && launch.message->base_ns) || (launch.collective && launch.collective->t_b_ns);
}

/// The launches that say something; all if none does.
std::vector<OverlapResult> telling(const std::vector<OverlapResult>& launches) {
    std::vector<OverlapResult> found;
    std::copy_if(launches.begin(), launches.end(), std::back_inserter(found), found_anything);
    return found.empty() ? launches : found;
}

}  // namespace

OverlapResult together(const std::vector<OverlapResult>& launches) {
    // A launch in which every repetition is invalid has nothing in common with the others.
    auto all = telling(launches);
    keep_common_intervals(all);
    std::vector<Figures> figures;
    for (auto& launch : all) {
        figures.push_back(figures_of(launch));
    }
    const bool alike = std::all_of(figures.begin(), figures.end(),
                                   [&](const auto& other) { return other.size() == figures.front().size(); });
    auto& result = all.front();
    if (all.size() < 2 || !alike) {
        return result;
    }
    for (std::size_t i = 0; i < figures.front().size(); ++i) {
        std::vector<Reduced> known;
        for (const auto& launch : figures) {
            if (*launch[i]) {
                known.push_back(**launch[i]);
            }
        }
        if (known.size() == all.size()) {
            *figures.front()[i] = over_starts(known);
        }
    }
    if (result.collective) {
        choose_best(*result.collective);
    }
    put_progress_verdict(result);
    return result;
}

}  // namespace fathom::analysis
