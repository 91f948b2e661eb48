#include "analysis/point/point_result.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/overlap/overlap_launches.hpp"
#include "analysis/point/launches.hpp"
#include "analysis/samples/disturbance.hpp"
#include "analysis/samples/evidence.hpp"
#include "analysis/samples/repetitions.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "clock/link.hpp"
#include "plan/operations.hpp"
#include "plan/plan_toml.hpp"
#include "plan/schemes.hpp"
#include "stats/quantile_ci.hpp"

namespace fathom::analysis {
namespace {

/// The output has three statuses; the store also records why a point has not been measured.
void set_status(PointResult& result, const store::PointRow& point) {
    result.status = point.status;
    result.reason = point.reason;
    if (point.status == PointStatus::died) {
        result.status = PointStatus::failed;
    } else if (point.status == PointStatus::pending) {
        result.status = point.reason.empty() ? PointStatus::unavailable : PointStatus::failed;
        if (point.reason.empty()) {
            result.no_times = NoTimes::not_measured_yet;
        }
    }
}

void warn_of_breaks(const GlobalTime& clock, int rank, Nanoseconds begin, Nanoseconds end,
                    PointResult& result) {
    const auto timeline = clock.ranks().find(rank);
    if (timeline == clock.ranks().end()) {
        return;
    }
    for (const auto& place : timeline->second.breaks()) {
        if (place.from <= end && place.to >= begin) {
            // A timeline tells how the global clock gains on the rank's.
            result.warnings.push_back({DriftChanged{.rank = rank,
                                                    .before_ppm = 0 - place.before_ppm,
                                                    .after_ppm = 0 - place.after_ppm,
                                                    .uncertainty = place.uncertainty}});
        }
    }
}

/// What the global clock says about a point: how far apart the ranks started, and with which uncertainty.
void put_starts(const Repetitions& repetitions, const GlobalTime& clock, PointResult& result) {
    if (const auto summary = stats::summarise(repetitions.skews)) {
        result.start_skew_median_ns = summary->median;
    }
    for (const auto& [rank, span] : repetitions.spans) {
        const auto bound = static_cast<double>(clock.largest_bound(rank, span.first, span.second).count);
        result.clock_bound_ns = std::max(result.clock_bound_ns.value_or(0), bound);
        warn_of_breaks(clock, rank, span.first, span.second, result);
    }
}

void put_rate(PointResult& result) {
    if (!result.value_ns) {
        return;
    }
    const auto& operation = plan::find_operation(result.key.operation);
    const Bytes block{result.size_as == plan::SizeAs::total ? result.key.size.count / result.key.procs
                                                            : result.key.size.count};
    const double ways = result.round_trip == plan::RoundTrip::whole ? operation.legs() : 1;
    const double rate = operation.rate_bytes_per_s(block, result.key.procs, result.value_ns->value / ways);
    result.rate_bytes_per_s = rate > 0 ? std::optional(rate) : std::nullopt;
}

/// How uncertain the median is because of the clock's resolution.
double step_at_median(std::vector<double> times, double median) {
    std::sort(times.begin(), times.end());
    const auto [first, last] = std::equal_range(times.begin(), times.end(), median);
    if (last - first < 2) {
        return 0;
    }
    const double below = first == times.begin() ? HUGE_VAL : median - *(first - 1);
    const double above = last == times.end() ? HUGE_VAL : *last - median;
    return std::isinf(std::min(below, above)) ? 0 : std::min(below, above);
}

/// Which of the repetitions of a launch count.
struct Counting {
    std::optional<Repetitions> kept;  ///< without those set aside; nothing where all count
    std::size_t unknown = 0;          ///< repetitions whose undisturbed times are not known
    bool sound = true;
    std::vector<std::int64_t> left_out = {};  ///< of a matrix: the numbers of those set aside
};

/// Of a matrix; of other operations none are known.
std::vector<std::int64_t> numbers_of(const Repetitions& all, const std::vector<bool>& marked) {
    std::vector<std::int64_t> found;
    for (std::size_t i = 0; i < all.numbers.size(); ++i) {
        if (marked[i]) {
            found.push_back(all.numbers[i]);
        }
    }
    return found;
}

/// All, unless the launch was disturbed: then those that preemption did not touch, where enough are left and
/// the view does not want every one.
Counting counting_of(const store::Store& store, const store::PointRow& point, const GlobalTime& clock,
                     const WholeView& view, const std::vector<DisturbedTime>& disturbed,
                     const Repetitions& all) {
    // The fewest for which a median's interval is never refused where they are independent (docs/method.md).
    constexpr std::size_t least = 20;
    if (disturbed.empty()) {
        return {};
    }
    std::vector<Stretch> stretches;
    for (const auto& time : disturbed) {
        stretches.push_back({.start = 0, .begin = time.begin, .end = time.end});
    }
    const auto marked = disturbed_repetitions(all, evidence_of(store, point, clock, 0), stretches);
    const auto touched = static_cast<std::size_t>(std::count(marked.begin(), marked.end(), true));
    if (view.every_rep) {
        return {.kept = std::nullopt, .unknown = touched};
    }
    auto kept = without(all, marked);
    return kept.times.size() >= least
               ? Counting{.kept = std::move(kept), .unknown = touched, .left_out = numbers_of(all, marked)}
               : Counting{.kept = std::nullopt, .unknown = all.times.size(), .sound = false};
}

/// What all valid repetitions took at most, those set aside among them.
void put_largest(PointResult& result, const Repetitions& all) {
    const auto largest = [](const std::vector<double>& times) {
        return *std::max_element(times.begin(), times.end());
    };
    if (result.time_ns) {
        result.time_ns->max = largest(all.times);
    }
    for (auto& rank : result.by_rank) {
        rank.time_ns.max = largest(all.by_rank.at(rank.rank));
    }
}

LaunchResult evaluate_samples(const store::Store& store, const store::PointRow& point,
                              const GlobalTime& clock, const WholeView& view, const Repetitions& all) {
    LaunchResult launch{.result = described(point)};
    auto& result = launch.result;
    const auto disturbed = disturbed_times(store.disturbances(point.id), clock);
    auto counting = counting_of(store, point, clock, view, disturbed, all);
    const auto& repetitions = counting.kept ? *counting.kept : all;
    result.set_aside = repetitions.set_aside;
    result.touched = counting.kept ? 0 : static_cast<std::int64_t>(counting.unknown);
    result.sound = counting.sound;
    if (plan::find_operation(point.key.operation).is(plan::Fact::in_blocks)) {
        result.size_as = view.size_as;
    }
    if (plan::find_operation(point.key.operation).kind == plan::Kind::round_trip) {
        result.round_trip = view.round_trip;
    }
    result.over_ranks = view.over_ranks;
    result.over_reps = view.over_reps.name();
    result.reps = static_cast<std::int64_t>(repetitions.times.size());
    result.invalid_reps = repetitions.invalid;
    result.time_ns = stats::summarise(repetitions.times);
    result.step_ns = result.time_ns ? step_at_median(repetitions.times, result.time_ns->median) : 0;
    result.value_ns = view.over_reps.reduce(repetitions.times);
    result.empty_ns = SampleTime(store, point).largest_empty().count;
    const auto& each =
        view.over_ranks == plan::OverRanks::each ? repetitions.by_rank : std::map<int, std::vector<double>>{};
    for (const auto& [rank, times] : each) {
        const auto summary = stats::summarise(times);
        const auto value = view.over_reps.reduce(times);
        if (summary && value) {
            result.by_rank.push_back({.rank = rank, .time_ns = *summary, .value_ns = *value});
        }
    }
    put_largest(result, all);
    launch.counted = {.times = repetitions.times,
                      .disturbed = counting.unknown,
                      .among = !counting.kept,
                      .sound = counting.sound,
                      .left_out = std::move(counting.left_out)};
    put_rate(result);
    result.measures = measures_of(store, point);
    put_message_rate(result);
    if (clock.known()) {
        put_starts(repetitions, clock, result);
    }
    if (!point.remark.empty()) {
        result.warnings.push_back({LimitReached{point.remark}});
    }
    if (!disturbed.empty()) {
        result.warnings.push_back({Disturbed{.times = disturbed,
                                             .moment = store.moment(*point.job),
                                             .set_aside = result.set_aside,
                                             .of = result.set_aside + result.reps}});
    }
    if (!result.time_ns) {
        if (result.status == PointStatus::ok && !clock.known() &&
            plan::find_operation(point.key.operation).kind == plan::Kind::one_way) {
            result.no_times = NoTimes::no_global_clock;
        } else if (result.status == PointStatus::ok && !view.ranks.all()) {
            result.no_times = view.over_ranks == plan::OverRanks::root && !view.ranks.contains(0)
                                  ? NoTimes::root_left_out
                                  : NoTimes::ranks_left_out;
        }
        return launch;
    }
    if (!result.time_ns->median_ci95) {
        result.warnings.push_back({NoInterval{.reps = static_cast<std::int64_t>(result.time_ns->count),
                                              .few = few_repetitions(*result.time_ns)}});
    }
    const auto& operation = plan::find_operation(point.key.operation);
    const bool collective = !operation.of_two() && operation.kind != plan::Kind::matrix;
    constexpr double tolerable_share = 0.1;
    if (collective && result.start_skew_median_ns.value_or(0) >
                          tolerable_share * result.time_ns->median * static_cast<double>(result.calls)) {
        result.warnings.push_back({StartedApart{*result.start_skew_median_ns}});
    }
    return launch;
}

/// What a study of overlap says of a point that was measured.
void put_overlap(const store::Store& store, const store::PointRow& point, const GlobalTime& clock,
                 PointResult& result) {
    if (!plan::find_operation(point.key.operation).overlaps() || result.status != PointStatus::ok ||
        !result.time_ns) {
        return;
    }
    result.overlap = overlap_of(store, point, clock);
    if (const auto& work = result.overlap->work_off) {
        result.warnings.push_back({*work});
    }
    if (const auto& work = result.overlap->work_drifted) {
        result.warnings.push_back({*work});
    }
    result.measures = overlap_measures(*result.overlap);
}

}  // namespace

void put_message_rate(PointResult& result) {
    const auto* const operation = plan::known_operation(result.key.operation);
    if (operation == nullptr || operation->group != plan::Group::stream || !result.value_ns ||
        result.value_ns->value <= 0) {
        return;
    }
    constexpr double ns_per_s = 1e9;
    const int pairs = operation->is(plan::Fact::in_pairs) ? result.key.procs / 2 : 1;
    const int ways = operation->is(plan::Fact::both_ways) ? 2 : 1;
    const auto rate = [&](double time_ns) { return pairs * ways * ns_per_s / time_ns; };
    Measure measure{.kind = MeasureKind::messages_per_s, .value = rate(result.value_ns->value), .ci95 = {}};
    measure.pairs = pairs;
    if (const auto& interval = result.value_ns->ci95; interval && interval->low > 0) {
        measure.ci95 = stats::Interval{.low = rate(interval->high), .high = rate(interval->low)};
    }
    std::erase_if(result.measures,
                  [](const auto& other) { return other.kind == MeasureKind::messages_per_s; });
    result.measures.push_back(measure);
}

void put_trace(PointResult& result, const std::optional<store::TraceRow>& trace) {
    result.trace = trace;
    std::erase_if(result.warnings,
                  [](const auto& warning) { return warning.kind() == PointWarningKind::trace; });
    if (trace && trace->dropped > 0) {
        result.warnings.push_back(
            {EventsDropped{.dropped = trace->dropped, .of = trace->dropped + trace->events}});
    }
}

bool PointResult::disturbed() const {
    return std::any_of(warnings.begin(), warnings.end(),
                       [](const auto& warning) { return warning.kind() == PointWarningKind::disturbed; });
}

PointResult described(const store::PointRow& point) {
    PointResult result;
    result.position = point.position;
    result.key = point.key;
    result.purpose = point.purpose;
    result.datatype = point.datatype;
    result.start = point.start;
    result.cache = from_text<plan::Cache>(point.cache);
    result.pairs = split(point.pairs, ',');
    result.calls = point.calls;
    result.warmup_calls = point.warmup_calls;
    set_status(result, point);
    return result;
}

void visit_points(const store::Store& store, std::int64_t run,
                  const std::function<void(const store::PointRow& point)>& visit) {
    for (const auto& point : store.points(run)) {
        try {
            if (!point.damage.empty()) {
                throw BadInput(point.damage);
            }
            visit(point);
        } catch (const BadInput& error) {
            store.note_damage(error.what());
        } catch (const clock::TooFarApart& error) {
            store.note_damage(error.what());
        }
    }
}

GlobalTime global_time_of(const store::Store& store, const store::PointRow& point) {
    if (!point.job) {
        return GlobalTime({});
    }
    return GlobalTime(store.clock_syncs(*point.job), point.key.procs == 1 || store.simulated(*point.job));
}

PointResult evaluate(const store::Store& store, const store::PointRow& point, const View& view) {
    const auto clock = global_time_of(store, point);
    const auto all = whole(view, point, plan::Plan{});
    return evaluate(store, point, clock, all, repetitions_of(store, point, clock, all)).result;
}

LaunchResult evaluate(const store::Store& store, const store::PointRow& point, const GlobalTime& clock,
                      const WholeView& view, const Repetitions& repetitions) {
    auto launch = evaluate_samples(store, point, clock, view, repetitions);
    put_overlap(store, point, clock, launch.result);
    put_trace(launch.result, store.trace(point.id));
    return launch;
}

PointResult evaluate_times(const store::Store& store, const store::PointRow& point) {
    const bool needs_clock = plan::find_operation(point.key.operation).kind == plan::Kind::one_way;
    const auto clock = needs_clock ? global_time_of(store, point) : GlobalTime({});
    const auto all = whole({}, point, plan::Plan{});
    return evaluate_samples(store, point, clock, all, repetitions_of(store, point, clock, all)).result;
}

}  // namespace fathom::analysis
