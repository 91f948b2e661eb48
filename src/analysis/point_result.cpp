#include "analysis/point_result.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "analysis/disturbance.hpp"
#include "analysis/overlap_findings.hpp"
#include "analysis/overlap_starts.hpp"
#include "analysis/repetitions.hpp"
#include "analysis/trials.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "plan/operations.hpp"
#include "plan/plan_toml.hpp"
#include "plan/schemes.hpp"
#include "stats/switch_hunt.hpp"

namespace fathom::analysis {
namespace {

/// The contract knows three statuses; the store also knows why a point has not been measured.
void set_status(PointResult& result, const store::PointRow& point) {
    result.status = point.status;
    result.reason = point.reason;
    if (point.status == "died") {
        result.status = "failed";
    } else if (point.status == "pending") {
        result.status = point.reason.empty() ? "unavailable" : "failed";
        if (point.reason.empty()) {
            result.reason = "not measured yet";
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
            result.warnings.push_back(
                fmt::format("the drift of rank {}'s clock changed from {:+.2f} to {:+.2f} ppm meanwhile; its "
                            "start times are unsure by {} more",
                            rank, 0 - place.before_ppm, 0 - place.after_ppm,
                            time_text(static_cast<double>(place.uncertainty.count))));
        }
    }
}

/// What the global clock says of a point: how far apart the ranks started, and how sure that is.
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

std::optional<ClockSummary> summary_of(std::vector<journal::ClockSync> syncs) {
    std::erase_if(syncs, [](const auto& sync) { return sync.test; });
    if (syncs.empty()) {
        return std::nullopt;
    }
    ClockSummary summary{.scheme = syncs.front().scheme,
                         .synchronisations = syncs.back().sync + 1,
                         .shared = syncs.front().shared};
    const auto study = study_sync(syncs, static_cast<std::size_t>(summary.synchronisations), {});
    for (const auto& repeat : study.repeats) {
        for (const auto& rank : repeat.ranks) {
            summary.shared = summary.shared && rank.shared;
            summary.bound_ns = std::max(summary.bound_ns, rank.bound_ns);
        }
    }
    for (const auto& rank : study.ranks) {
        summary.steady = summary.steady && rank.steady;
        if (std::abs(rank.drift_ppm) > std::abs(summary.drift_ppm)) {
            summary.drift_ppm = rank.drift_ppm;
        }
    }
    return summary;
}

/// How a point's samples are looked at, made whole.
struct WholeView {
    std::string over_ranks;
    stats::Reduction over_reps = stats::Reduction::parse("median");
    RankSet ranks;
    std::string size_as;
};

/// A pair's first rank, the mean of messages that are on the way at once, else the slowest rank.
std::string default_over_ranks(const plan::OperationInfo& operation) {
    const bool messages = operation.kind == plan::Kind::one_way || operation.kind == plan::Kind::matrix;
    return operation.of_two() ? "root" : messages ? "mean" : "max";
}

WholeView whole(const View& view, const store::PointRow& point, const plan::Plan& settings) {
    auto over_ranks = view.over_ranks.value_or(settings.over_ranks);
    if (over_ranks == "auto") {
        over_ranks = default_over_ranks(plan::find_operation(point.operation));
    }
    return {.over_ranks = std::move(over_ranks),
            .over_reps = view.over_reps.value_or(stats::Reduction::parse(settings.over_reps)),
            .ranks = view.ranks,
            .size_as = settings.operation.size_as};
}

PointResult described(const store::PointRow& point) {
    PointResult result;
    result.position = point.position;
    result.operation = point.operation;
    result.pattern = point.pattern;
    result.procs = point.procs;
    result.size = point.size;
    result.scheme = point.scheme;
    result.purpose = point.purpose;
    result.progress = point.progress;
    result.datatype = point.datatype;
    result.start = point.start;
    result.cache = point.cache;
    result.pairs = split(point.pairs, ',');
    result.calls = point.calls;
    result.warmup_calls = point.warmup_calls;
    set_status(result, point);
    return result;
}

void put_rate(PointResult& result) {
    if (!result.value_ns) {
        return;
    }
    const auto& operation = plan::find_operation(result.operation);
    const Bytes block{result.size_as == "total" ? result.size.count / result.procs : result.size.count};
    const double rate = operation.rate_bytes_per_s(block, result.procs, result.value_ns->value);
    result.rate_bytes_per_s = rate > 0 ? std::optional(rate) : std::nullopt;
}

/// Of all pairs together, from the time of a message.
void put_message_rate(PointResult& result) {
    const auto& operation = plan::find_operation(result.operation);
    if (operation.group != "stream" || !result.value_ns || result.value_ns->value <= 0) {
        return;
    }
    constexpr double ns_per_s = 1e9;
    const int pairs = operation.in_pairs() ? result.procs / 2 : 1;
    const int ways = operation.name == "bibandwidth" ? 2 : 1;
    const auto rate = [&](double time_ns) { return pairs * ways * ns_per_s / time_ns; };
    Measure measure{.name = "messages_per_s", .value = rate(result.value_ns->value), .ci95 = {}, .text = {}};
    if (const auto& interval = result.value_ns->ci95; interval && interval->low > 0) {
        measure.ci95 = stats::Interval{.low = rate(interval->high), .high = rate(interval->low)};
    }
    const auto number = measure.value >= 1e6 ? fmt::format("{:.3g} million", measure.value / 1e6)
                                             : fmt::format("{:.0f}", measure.value);
    measure.text =
        fmt::format("{} messages/s{}", number, pairs > 1 ? fmt::format(" over {} pairs", pairs) : "");
    result.measures.push_back(std::move(measure));
}

PointResult evaluate_on(const store::Store& store, const store::PointRow& point, const GlobalTime& clock,
                        const WholeView& view, const Repetitions& repetitions) {
    auto result = described(point);
    result.size_as = plan::find_operation(point.operation).in_blocks() ? view.size_as : "";
    result.over_ranks = view.over_ranks;
    result.over_reps = view.over_reps.name();
    result.reps = static_cast<std::int64_t>(repetitions.times.size());
    result.invalid_reps = repetitions.invalid;
    result.time_ns = stats::summarise(repetitions.times);
    result.value_ns = view.over_reps.reduce(repetitions.times);
    result.empty_ns = SampleTime(store, point).largest_empty().count;
    const auto& each = view.over_ranks == "each" ? repetitions.by_rank : std::map<int, std::vector<double>>{};
    for (const auto& [rank, times] : each) {
        const auto summary = stats::summarise(times);
        const auto value = view.over_reps.reduce(times);
        if (summary && value) {
            result.by_rank.push_back({.rank = rank, .time_ns = *summary, .value_ns = *value});
        }
    }
    put_rate(result);
    result.measures = measures_of(store, point);
    put_message_rate(result);
    if (clock.known()) {
        put_starts(repetitions, clock, result);
    }
    if (!point.remark.empty()) {
        result.warnings.push_back(point.remark);
    }
    const auto disturbed = disturbed_times(store.disturbances(point.id), clock);
    if (!disturbed.empty()) {
        result.warnings.push_back(disturbance_text(disturbed, store.moment(*point.job)));
    }
    if (!result.time_ns) {
        if (result.status == "ok" && !clock.known() &&
            plan::find_operation(point.operation).kind == plan::Kind::one_way) {
            result.reason = "one-way times need the clocks of all ranks compared";
        } else if (result.status == "ok" && !view.ranks.all()) {
            result.reason = view.over_ranks == "root" && !view.ranks.contains(0)
                                ? "rank 0, whose time counts, is not among --ranks"
                                : "none of --ranks takes part";
        }
        return result;
    }
    if (!result.time_ns->median_ci95) {
        constexpr std::int64_t fewest = 6;
        result.warnings.emplace_back(
            result.reps < fewest
                ? "too few repetitions for a 95 % interval; give --reps 6 or more"
                : "no 95 % interval: repetitions resemble their neighbours so much that they are worth fewer "
                  "than 6; give more of them");
    }
    const auto& operation = plan::find_operation(point.operation);
    const bool collective = !operation.of_two() && operation.kind != plan::Kind::matrix;
    constexpr double tolerable_share = 0.1;
    if (collective && result.start_skew_median_ns.value_or(0) >
                          tolerable_share * result.time_ns->median * static_cast<double>(result.calls)) {
        result.warnings.push_back(
            fmt::format("processes started {} apart (median), more than a tenth of the time itself",
                        time_text(*result.start_skew_median_ns)));
    }
    return result;
}

void put_measure(PointResult& result, std::string_view name, const std::optional<Reduced>& figure,
                 std::string (*text)(const Reduced&)) {
    if (figure) {
        const std::string word(name.substr(0, name.find("_ns")));
        result.measures.push_back({.name = std::string(name),
                                   .value = figure->value,
                                   .ci95 = figure->ci95,
                                   .text = word + " " + text(*figure)});
    }
}

void put_overlap_measures(PointResult& result) {
    result.measures.clear();
    if (const auto* plain = result.overlap->plain()) {
        put_measure(result, "overhead_ns", plain->overhead_ns, figure_text);
        put_measure(result, "availability", plain->availability, share_text);
    }
}

/// What a study of overlap says of a point that was measured.
void put_overlap(const store::Store& store, const store::PointRow& point, const GlobalTime& clock,
                 PointResult& result) {
    if (!plan::find_operation(point.operation).overlaps() || result.status != "ok" || !result.time_ns) {
        return;
    }
    result.overlap = overlap_of(store, point, clock);
    const auto& warnings = result.overlap->warnings;
    result.warnings.insert(result.warnings.end(), warnings.begin(), warnings.end());
    put_overlap_measures(result);
}

/// Several starts of a point as one.
PointResult one_of(const std::vector<PointResult>& starts) {
    auto result = together(starts);
    std::vector<OverlapResult> studies;
    for (const auto& start : starts) {
        if (start.overlap) {
            studies.push_back(*start.overlap);
        }
    }
    if (!studies.empty()) {
        result.overlap = together(studies);
        put_overlap_measures(result);
    }
    return result;
}

/// Points found on the way stand where they belong: by size within the curve they refine.
void sort_by_plan(std::vector<PointResult>& points) {
    std::map<std::tuple<std::string, std::string>, std::size_t> firsts;
    for (const auto& point : points) {
        firsts.try_emplace({point.operation, point.pattern}, firsts.size());
    }
    std::stable_sort(points.begin(), points.end(), [&](const auto& a, const auto& b) {
        const auto key = [&](const PointResult& point) {
            return std::tuple(firsts.at({point.operation, point.pattern}), point.procs, point.size.count,
                              point.progress);
        };
        return key(a) < key(b);
    });
}

/// The matrices of a run, those of several starts as one each.
std::vector<MatrixResult> matrices_of(const store::Store& store, const store::RunRow& run,
                                      const std::vector<store::PointRow>& points, const RankSet& ranks) {
    std::map<std::tuple<int, Bytes, std::string>, std::vector<store::PointRow>> starts;
    for (const auto& point : points) {
        if (point.status == "ok" && plan::find_operation(point.operation).kind == plan::Kind::matrix) {
            starts[{point.procs, point.size, point.scheme}].push_back(point);
        }
    }
    std::vector<MatrixResult> found;
    for (const auto& [key, same] : starts) {
        found.push_back(matrix_of(store, run.id, same, ranks));
    }
    return found;
}

/// The points of one curve.
struct Curve {
    std::vector<stats::CurvePoint> coarse;           // before switches were looked for
    std::map<std::int64_t, stats::CurvePoint> more;  // measured to bisect them
};

/// Switches in the curves of time against size, as they were hunted for.
std::vector<FoundSwitch> switches_of(const std::vector<PointResult>& points, bool simulated) {
    std::map<std::pair<std::string, int>, Curve> curves;
    for (const auto& point : points) {
        const auto element = plan::find_operation(point.operation).element;
        if (point.status != "ok" || !point.time_ns || !point.time_ns->median_ci95 ||
            point.size.count % element != 0) {
            continue;
        }
        auto& curve = curves[{point.operation, point.procs}];
        const auto& interval = *point.time_ns->median_ci95;
        const stats::CurvePoint at{.x = point.size.count / element,
                                   .median = point.time_ns->median,
                                   .low = interval.low,
                                   .high = interval.high};
        if (point.purpose == plan::purpose_switch) {
            curve.more[at.x] = at;
        } else {
            curve.coarse.push_back(at);
        }
    }
    std::vector<FoundSwitch> found;
    for (const auto& [key, curve] : curves) {
        stats::SwitchHunt hunt(curve.coarse, simulated ? 0 : stats::SwitchHunt::real_scatter);
        while (const auto place = hunt.next()) {
            const auto known = curve.more.find(*place);
            if (known == curve.more.end()) {
                hunt.give_up();
            } else {
                hunt.add(known->second);
            }
        }
        for (auto place : hunt.found()) {
            const auto element = plan::find_operation(key.first).element;
            place.last_below *= element;
            place.first_above *= element;
            found.push_back(
                {.operation = key.first, .procs = key.second, .element = element, .found = place});
        }
    }
    return found;
}

}  // namespace

GlobalTime global_time_of(const store::Store& store, const store::PointRow& point) {
    if (!point.job) {
        return GlobalTime({});
    }
    return GlobalTime(store.clock_syncs(*point.job), point.procs == 1 || store.simulated(*point.job));
}

PointResult evaluate(const store::Store& store, const store::PointRow& point, const View& view) {
    const auto clock = global_time_of(store, point);
    const auto all = whole(view, point, plan::Plan{});
    auto result =
        evaluate_on(store, point, clock, all, repetitions_of(store, point, clock, all.over_ranks, all.ranks));
    put_overlap(store, point, clock, result);
    return result;
}

PointResult evaluate_times(const store::Store& store, const store::PointRow& point) {
    const bool needs_clock = plan::find_operation(point.operation).kind == plan::Kind::one_way;
    const auto clock = needs_clock ? global_time_of(store, point) : GlobalTime({});
    const auto all = whole({}, point, plan::Plan{});
    return evaluate_on(store, point, clock, all,
                       repetitions_of(store, point, clock, all.over_ranks, all.ranks));
}

namespace {

/// The starts of each point, in the order of the first one.
std::vector<std::vector<store::PointRow>> by_point(const std::vector<store::PointRow>& points) {
    std::vector<std::vector<store::PointRow>> starts;
    std::map<std::tuple<std::string, int, std::int64_t, std::string, std::string>, std::size_t> places;
    for (const auto& point : points) {
        const auto [place, is_new] = places.try_emplace(
            {point.operation, point.procs, point.size.count, point.scheme, point.progress}, starts.size());
        if (is_new) {
            starts.emplace_back();
        }
        starts[place->second].push_back(point);
    }
    return starts;
}

/// Points that do the same work at the same size: blocks of different sizes make other work of it.
std::vector<PointResult> comparable(std::vector<PointResult> points, const plan::Plan& plan) {
    if (plan.operation.distribution != "equal") {
        std::erase_if(points, [](const auto& point) {
            const auto& name = point.operation;
            return name.ends_with("v") || name.ends_with("w") || name.ends_with("reduce_scatter");
        });
    }
    return points;
}

/// Evaluates the points of one run.
class Evaluation {
  public:
    Evaluation(const store::Store& store, const store::RunRow& run, const View& view, const Wanted& wanted,
               const plan::Plan& plan)
        : store_(store), view_(view), wanted_(wanted), plan_(plan) {
        for (const auto& rank : store.ranks(run.id)) {
            hosts_[rank.rank] = rank.host;
        }
        const bool one_host = std::all_of(hosts_.begin(), hosts_.end(), [&](const auto& rank) {
            return rank.second == hosts_.begin()->second;
        });
        over_tcp_ = !run.simulated && !one_host;
    }

    PointResult operator()(const std::vector<store::PointRow>& starts) {
        std::vector<PointResult> results;
        Repetitions all;
        Evidence evidence;
        for (const auto& point : starts) {
            const auto& clock = clock_of(point);
            const auto settings = plan::settings_of(plan_, {.operation = point.operation,
                                                            .pattern = point.pattern,
                                                            .procs = point.procs,
                                                            .size = point.size,
                                                            .scheme = point.scheme});
            const auto view = whole(view_, point, settings);
            auto repetitions =
                repetitions_of(store_, point, clock, view.over_ranks, view.ranks, wanted_.samples());
            results.push_back(evaluate_on(store_, point, clock, view, repetitions));
            put_overlap(store_, point, clock, results.back());
            if (wanted_.samples()) {
                const auto start = static_cast<int>(results.size()) - 1;
                add(evidence, evidence_of(store_, point, clock, start));
                add(all, std::move(repetitions), start);
            }
        }
        auto result = results.size() == 1 ? std::move(results.front()) : one_of(results);
        if (wanted_.samples()) {
            evidence.hosts = hosts_;
            result.analyses = analyse(all, evidence, over_tcp_, result.over_ranks == "each", wanted_.asked);
        }
        if (wanted_.visit) {
            wanted_.visit(result, all);
        }
        return result;
    }

  private:
    const GlobalTime& clock_of(const store::PointRow& point) {
        const auto known = clocks_.find(point.job);
        return known != clocks_.end()
                   ? known->second
                   : clocks_.emplace(point.job, global_time_of(store_, point)).first->second;
    }

    const store::Store& store_;
    const View& view_;
    const Wanted& wanted_;
    const plan::Plan& plan_;
    std::map<int, std::string> hosts_;
    bool over_tcp_ = false;
    std::map<std::optional<std::int64_t>, GlobalTime> clocks_;
};

/// How a run was to be looked at. A newer fathom may have settings that this one cannot read; what was
/// measured can be told nevertheless.
plan::Plan plan_of(const store::RunRow& run, std::vector<store::WarningRow>& warnings) {
    plan::Plan plan;
    try {
        plan::read_plan(plan, run.plan_toml, fmt::format("plan of run {}", run.id));
    } catch (const BadInput& error) {
        warnings.push_back(
            {.severity = "note",
             .code = "unknown-plan",
             .text = fmt::format("this fathom cannot read the plan of the run and looks at it in the "
                                 "usual way: {}",
                                 error.what()),
             .remedy = "use the fathom that made the run, or a newer one"});
        plan = {};
    }
    return plan;
}

/// Takes out points of operations that this fathom does not have; they are shown without their times.
std::vector<PointResult> take_unknown(std::vector<store::PointRow>& points) {
    std::vector<PointResult> unknown;
    std::erase_if(points, [&](const auto& point) {
        if (plan::known_operation(point.operation) != nullptr) {
            return false;
        }
        unknown.push_back(described(point));
        unknown.back().status = "unavailable";
        unknown.back().reason = "this fathom does not know the operation; a newer one may have measured it";
        return true;
    });
    return unknown;
}

}  // namespace

RunResult evaluate(const store::Store& store, const store::RunRow& run, const View& view,
                   const Wanted& wanted) {
    RunResult result;
    result.run = run;
    result.warnings = store.warnings(run.id);
    if (!view.ranks.all() && view.ranks.largest() >= run.procs) {
        throw BadInput(fmt::format("run {} has ranks 0 to {}; --ranks says {}.", run.id, run.procs - 1,
                                   view.ranks.text()));
    }
    const auto plan = plan_of(run, result.warnings);
    auto points = store.points(run.id);
    const auto unknown = take_unknown(points);
    Evaluation evaluation(store, run, view, wanted, plan);
    for (const auto& starts : by_point(points)) {
        result.points.push_back(evaluation(starts));
    }
    sort_by_plan(result.points);
    result.matrices = matrices_of(store, run, points, view.ranks);
    result.findings = findings_of(result.matrices);
    compare_progress(result.points);
    result.boundaries = protocol_boundaries(result.points);
    result.loggp = loggp_of(result.points);
    result.schemes_compared = plan.compare_schemes;
    if (plan.locate_switches) {
        result.switches_sought = true;
        result.switches = switches_of(result.points, run.simulated);
    }
    if (const auto job = store.last_job(run.id)) {
        const auto syncs = store.clock_syncs(job->id);
        result.clock = summary_of(syncs);
        result.clock_check = study_check(store.clock_events(job->id), syncs);
    }
    if (plan.judge) {
        result.verdict = judge(result);
    }
    result.scaling = scaling_of(comparable(result.points, plan), run.simulated);
    result.insights = insights_of(result);
    result.points.insert(result.points.end(), unknown.begin(), unknown.end());
    return result;
}

}  // namespace fathom::analysis
