#include "analysis/point/launches.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "analysis/overlap/overlap_launches.hpp"
#include "stats/comparison/scatter.hpp"
#include "stats/mean.hpp"
#include "stats/quantile.hpp"
#include "stats/student.hpp"

namespace fathom::analysis {
namespace {

/// Around the median of a few times.
stats::Interval interval_around(const std::vector<double>& times) {
    const auto interval = stats::few_values_ci95(times);
    return {.low = std::max(0.0, interval.low), .high = interval.high};
}

/// One summary of several launches.
stats::Summary together(const std::vector<const stats::Summary*>& launches) {
    const auto all = [&](double stats::Summary::*field) {
        std::vector<double> found;
        for (const auto* launch : launches) {
            found.push_back(launch->*field);
        }
        return found;
    };
    const auto medians = all(&stats::Summary::median);
    const auto minima = all(&stats::Summary::min);
    const auto maxima = all(&stats::Summary::max);
    stats::Summary time;
    for (const auto* launch : launches) {
        time.count += launch->count;
    }
    time.median = stats::median_of(medians);
    time.median_ci95 = interval_around(medians);
    time.mean = stats::mean(all(&stats::Summary::mean));
    time.p99 = stats::median_of(all(&stats::Summary::p99));
    time.min = *std::min_element(minima.begin(), minima.end());
    time.max = *std::max_element(maxima.begin(), maxima.end());
    return time;
}

/// Each rank's part over all launches that have it.
std::vector<RankResult> ranks_together(const std::vector<const PointResult*>& measured) {
    std::map<int, std::pair<std::vector<const stats::Summary*>, std::vector<double>>> by_rank;
    for (const auto* launch : measured) {
        for (const auto& rank : launch->by_rank) {
            by_rank[rank.rank].first.push_back(&rank.time_ns);
            by_rank[rank.rank].second.push_back(rank.value_ns.value);
        }
    }
    std::vector<RankResult> found;
    for (const auto& [rank, parts] : by_rank) {
        const auto& [times, values] = parts;
        const double value = stats::median_of(values);
        found.push_back({.rank = rank,
                         .time_ns = together(times),
                         .value_ns = {.value = value, .ci95 = interval_around(values)}});
    }
    return found;
}

/// One-way analysis of variance with random effects.
Launches variances(const std::vector<const PointResult*>& measured, std::vector<double> values) {
    double squares = 0;
    double freedom = 0;
    double inverse_counts = 0;
    std::vector<double> means;
    for (const auto* launch : measured) {
        const auto count = static_cast<double>(launch->time_ns->count);
        squares += launch->time_ns->variance * (count - 1);
        freedom += count - 1;
        inverse_counts += 1 / count;
        means.push_back(launch->time_ns->mean);
    }
    const double within = freedom > 0 ? squares / freedom : 0;
    const double explained = within * inverse_counts / static_cast<double>(measured.size());
    return {.values_ns = std::move(values),
            .variance_between_ns2 = std::max(0.0, stats::variance(means) - explained),
            .variance_within_ns2 = within,
            .median_ci95 = {},
            .levels = std::nullopt};
}

bool has_result(const PointResult& launch) {
    return launch.status == PointStatus::ok && launch.time_ns && launch.value_ns;
}

/// What launches took at most, whether or not they are used.
void put_largest(PointResult& result, const std::vector<PointResult>& launches) {
    for (const auto& launch : launches) {
        if (!has_result(launch)) {
            continue;
        }
        result.time_ns->max = std::max(result.time_ns->max, launch.time_ns->max);
        for (auto& rank : result.by_rank) {
            const auto other = std::find_if(launch.by_rank.begin(), launch.by_rank.end(),
                                            [&](const auto& each) { return each.rank == rank.rank; });
            if (other != launch.by_rank.end()) {
                rank.time_ns.max = std::max(rank.time_ns.max, other->time_ns.max);
            }
        }
    }
}

/// Launches that take one of two values: the gap between two groups of at least two is four times as wide as
/// either, 3 % of the value or more, and wider than the launches' own intervals. Of five normal values 1.5 %
/// have such a gap by chance, of seven 0.1 % (bench/constants.py).
std::optional<LaunchLevels> levels_of(const std::vector<const PointResult*>& measured) {
    constexpr std::size_t least_launches = 5;
    constexpr std::size_t least_of_group = 2;
    constexpr double gap_by_width = 4;
    constexpr double least_gap = 0.03;
    const auto count = measured.size();
    if (count < least_launches) {
        return std::nullopt;
    }
    std::vector<double> values;
    double own = 0;
    for (const auto* launch : measured) {
        values.push_back(launch->time_ns->median);
        if (const auto& interval = launch->time_ns->median_ci95) {
            own = std::max(own, interval->high - interval->low);
        }
    }
    std::sort(values.begin(), values.end());
    for (auto i = least_of_group; i + least_of_group <= count; ++i) {
        const double gap = values[i] - values[i - 1];
        const double width = std::max(values[i - 1] - values.front(), values.back() - values[i]);
        if (gap >= gap_by_width * width && gap >= least_gap * values.front() && gap > own) {
            const auto middle = values.begin() + static_cast<std::ptrdiff_t>(i);
            return LaunchLevels{.low_ns = stats::median_of({values.begin(), middle}),
                                .high_ns = stats::median_of({middle, values.end()}),
                                .low_launches = i,
                                .high_launches = count - i};
        }
    }
    return std::nullopt;
}

/// What is said of launches one by one is said once of all, and only what matters to their common interval:
/// that of a single launch may be missing or wide.
std::vector<PointWarning> warnings_together(const std::vector<PointResult>& launches,
                                            const PointResult& whole) {
    std::vector<PointWarning> found;
    std::size_t disturbed = 0;
    for (const auto& launch : launches) {
        disturbed += launch.disturbed() ? 1U : 0U;
        for (const auto& warning : launch.warnings) {
            const bool known = std::any_of(found.begin(), found.end(),
                                           [&](const auto& other) { return other.kind() == warning.kind(); });
            if (!known && warning.kind() != PointWarningKind::few_repetitions &&
                warning.kind() != PointWarningKind::disturbed) {
                found.push_back(warning);
            }
        }
    }
    if (disturbed > 0) {
        found.push_back({LaunchesDisturbed{.launches = disturbed,
                                           .of_launches = launches.size(),
                                           .set_aside = whole.set_aside,
                                           .of = whole.set_aside + whole.reps}});
    }
    if (const auto& levels = whole.launches->levels) {
        found.push_back({*levels});
    }
    return found;
}

/// The median over the launches that have a measure; which ranks stand out is that of a launch in the middle.
Measure measure_together(const std::vector<Measure>& launches) {
    std::vector<double> values;
    for (const auto& launch : launches) {
        values.push_back(launch.value);
    }
    const double median = stats::median_of(values);
    auto whole = *std::min_element(launches.begin(), launches.end(), [&](const auto& a, const auto& b) {
        return std::abs(a.value - median) < std::abs(b.value - median);
    });
    whole.value = median;
    if (launches.size() > 1) {
        whole.ci95 = interval_around(values);
    }
    return whole;
}

/// In the order of the first launch.
std::vector<Measure> measures_together(const std::vector<const PointResult*>& measured) {
    std::vector<std::vector<Measure>> by_kind;
    for (const auto* launch : measured) {
        for (const auto& measure : launch->measures) {
            const auto known = std::find_if(by_kind.begin(), by_kind.end(), [&](const auto& same) {
                return same.front().kind == measure.kind;
            });
            if (known == by_kind.end()) {
                by_kind.push_back({measure});
            } else {
                known->push_back(measure);
            }
        }
    }
    std::vector<Measure> found;
    for (const auto& same : by_kind) {
        found.push_back(measure_together(same));
    }
    return found;
}

std::optional<store::TraceRow> traces_together(const std::vector<PointResult>& launches) {
    std::optional<store::TraceRow> whole;
    for (const auto& launch : launches) {
        if (launch.trace) {
            whole = whole.value_or(store::TraceRow{});
            whole->every = launch.trace->every;
            whole->events += launch.trace->events;
            whole->dropped += launch.trace->dropped;
            whole->stored_bytes += launch.trace->stored_bytes;
        }
    }
    return whole;
}

/// Says how many launches failed, if any did, and why the first.
void warn_of_failed(PointResult& result, const std::vector<PointResult>& launches, std::size_t failed) {
    if (failed == 0) {
        return;
    }
    const auto missing = std::find_if(launches.begin(), launches.end(),
                                      [](const auto& launch) { return launch.status != PointStatus::ok; });
    LaunchesFailed facts{.failed = failed, .of = launches.size()};
    if (missing != launches.end()) {
        facts.reason = missing->reason;
        facts.no_times = missing->no_times;
    }
    result.warnings.push_back({std::move(facts)});
}

/// Times, values, measures and warnings of all launches; the rest is from the first that has a result.
PointResult times_together(const std::vector<PointResult>& launches) {
    std::vector<const PointResult*> measured;
    for (const auto place : launches_that_count(launches)) {
        measured.push_back(&launches[place]);
    }
    if (measured.empty()) {
        auto none = launches.front();
        none.launch_counts = {.used = 0, .failed = launches.size()};
        return none;
    }
    const auto failed = launches.size() -
                        static_cast<std::size_t>(std::count_if(launches.begin(), launches.end(), has_result));
    auto result = *measured.front();
    result.launch_counts = {
        .used = measured.size(), .set_aside = launches.size() - failed - measured.size(), .failed = failed};
    std::vector<double> values;
    for (const auto* launch : measured) {
        values.push_back(launch->value_ns->value);
    }
    if (measured.size() < 2) {
        warn_of_failed(result, launches, failed);
        return result;
    }
    std::vector<const stats::Summary*> times;
    for (const auto* launch : measured) {
        times.push_back(&*launch->time_ns);
    }
    auto time = together(times);
    const double value = stats::median_of(values);
    result.value_ns = stats::Reduced{.value = value, .ci95 = interval_around(values)};
    result.launches = variances(measured, values);
    result.launches->median_ci95 = *time.median_ci95;
    result.launches->levels = levels_of(measured);
    std::vector<double> skews;
    result.reps = 0;
    result.invalid_reps = 0;
    result.set_aside = 0;
    result.touched = 0;
    for (const auto& launch : launches) {
        result.set_aside += launch.reps + launch.set_aside;
    }
    for (const auto* launch : measured) {
        result.sound = result.sound && launch->sound;
        result.reps += launch->reps;
        result.touched += launch->touched;
        result.invalid_reps += launch->invalid_reps;
        result.set_aside -= launch->reps;
        result.empty_ns = std::max(result.empty_ns, launch->empty_ns);
        result.step_ns = std::max(result.step_ns, launch->step_ns);
        if (launch->start_skew_median_ns) {
            skews.push_back(*launch->start_skew_median_ns);
        }
        if (launch->clock_bound_ns) {
            result.clock_bound_ns = std::max(result.clock_bound_ns.value_or(0), *launch->clock_bound_ns);
        }
    }
    time.variance = result.launches->variance_between_ns2 + result.launches->variance_within_ns2;
    if (!skews.empty()) {
        result.start_skew_median_ns = stats::median_of(skews);
    }
    result.time_ns = time;
    result.by_rank = ranks_together(measured);
    put_largest(result, launches);
    if (result.rate_bytes_per_s && value > 0) {
        // Rates are inverse to times: that of the median is the median of rates.
        result.rate_bytes_per_s = *result.rate_bytes_per_s * measured.front()->value_ns->value / value;
    }
    result.measures = measures_together(measured);
    put_message_rate(result);
    result.warnings = warnings_together(launches, result);
    warn_of_failed(result, launches, failed);
    return result;
}

}  // namespace

std::vector<std::size_t> launches_that_count(const std::vector<PointResult>& launches) {
    constexpr std::size_t least = 2;
    std::vector<std::size_t> measured;
    std::vector<std::size_t> sound;
    for (std::size_t i = 0; i < launches.size(); ++i) {
        if (has_result(launches[i])) {
            measured.push_back(i);
            if (launches[i].sound) {
                sound.push_back(i);
            }
        }
    }
    return sound.size() < least ? measured : sound;
}

std::optional<double> scatter_of_launches(std::span<const PointResult* const> points) {
    std::vector<stats::OwnVariance> variances;
    for (const auto* point : points) {
        if (!point->launches) {
            continue;
        }
        std::vector<double> logarithms;
        for (const double value : point->launches->values_ns) {
            if (value > 0) {
                logarithms.push_back(std::log(value));
            }
        }
        if (logarithms.size() > 1) {
            variances.push_back({.value = stats::variance(logarithms),
                                 .freedom = static_cast<double>(logarithms.size() - 1)});
        }
    }
    return variances.empty() ? std::nullopt : std::optional(std::sqrt(stats::middle_variance(variances)));
}

void include_other_runs(PointResult& point, const stats::KnownVariance& between_runs) {
    if (!point.launches || between_runs.value <= 0) {
        return;
    }
    const auto wider = [&](double value, std::optional<stats::Interval>& interval) {
        if (interval) {
            const double by = between_runs.reach() * value;
            interval = stats::Interval{.low = std::max(0.0, value - std::hypot(value - interval->low, by)),
                                       .high = value + std::hypot(interval->high - value, by)};
        }
    };
    wider(point.time_ns->median, point.time_ns->median_ci95);
    wider(point.value_ns->value, point.value_ns->ci95);
    for (auto& rank : point.by_rank) {
        wider(rank.time_ns.median, rank.time_ns.median_ci95);
        wider(rank.value_ns.value, rank.value_ns.ci95);
    }
    put_message_rate(point);
}

PointResult together(const std::vector<PointResult>& launches) {
    auto result = times_together(launches);
    put_trace(result, traces_together(launches));
    std::vector<OverlapResult> studies;
    for (const auto place : launches_that_count(launches)) {
        if (const auto& study = launches[place].overlap) {
            studies.push_back(*study);
        }
    }
    if (!studies.empty()) {
        result.overlap = together(studies);
        result.measures = overlap_measures(*result.overlap);
    }
    return result;
}

WholePoint whole_point(std::vector<LaunchResult> launches) {
    if (launches.size() == 1) {
        auto& only = launches.front();
        WholePoint whole{.result = std::move(only.result)};
        if (has_result(whole.result)) {
            whole.counted.push_back(std::move(only.counted));
            whole.places.push_back(0);
        } else {
            whole.result.launch_counts = {.used = 0, .failed = 1};
        }
        return whole;
    }
    std::vector<PointResult> results;
    for (auto& launch : launches) {
        results.push_back(std::move(launch.result));
    }
    WholePoint whole{.result = together(results), .places = launches_that_count(results)};
    for (const auto place : whole.places) {
        whole.counted.push_back(std::move(launches[place].counted));
    }
    return whole;
}

}  // namespace fathom::analysis
