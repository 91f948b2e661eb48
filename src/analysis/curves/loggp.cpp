#include "analysis/curves/loggp.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "analysis/curves/trusted_studies.hpp"
#include "analysis/overlap/rounds.hpp"
#include "analysis/point/point_result.hpp"
#include "plan/operations.hpp"
#include "stats/change_points/line_segments.hpp"
#include "stats/least_squares.hpp"
#include "stats/quantile.hpp"
#include "stats/student.hpp"

namespace fathom::analysis {
namespace {

/// A value with its standard error, by size.
using TimeCurve = std::map<std::int64_t, stats::Estimate>;

/// What LogGP is made of.
struct Ingredients {
    TimeCurve send_overhead;
    TimeCurve receive_overhead;
    TimeCurve one_way;
    TimeCurve gap;
    std::set<LogGpInput> doubtful;  ///< those that unreliable points have

    TimeCurve& of(LogGpInput input) {
        switch (input) {
            case LogGpInput::send_overhead:
                return send_overhead;
            case LogGpInput::receive_overhead:
                return receive_overhead;
            case LogGpInput::one_way:
                return one_way;
            case LogGpInput::gap:
                break;
        }
        return gap;
    }
};

void put(TimeCurve& curve, std::int64_t size, const stats::Reduced& value) {
    if (size > 0) {
        const auto half = value.ci95 ? (value.ci95->high - value.ci95->low) / 2 : 0;
        curve[size] = {.value = value.value, .error = half / stats::normal_factor};
    }
}

/// With varied settings there is no one set of parameters.
bool is_message_study(const PointResult& point) {
    const auto& operation = plan::find_operation(point.key.operation);
    return operation.overlaps() && operation.of_two() && point.key.setting.empty();
}

/// The ping-pong by the calls that the overheads are of, if the run has it.
std::string_view one_way_operation(const std::vector<PointResult>& points, int procs) {
    constexpr std::string_view by_same_calls = "pingpong.isend_irecv";
    const bool there = std::any_of(points.begin(), points.end(), [&](const auto& point) {
        return point.key.operation == by_same_calls && point.key.procs == procs &&
               point.status == PointStatus::ok;
    });
    return there ? by_same_calls : "pingpong";
}

/// What a point gives for LogGP of so many processes, and its value.
std::optional<std::pair<LogGpInput, stats::Reduced>> input_of(const PointResult& point, int procs,
                                                              std::string_view one_way_calls) {
    using enum LogGpInput;
    if (point.status != PointStatus::ok || !point.key.progress.empty() || !point.key.scheme.empty() ||
        !point.value_ns || point.round_trip == plan::RoundTrip::whole) {
        return std::nullopt;
    }
    const auto* plain = point.overlap ? point.overlap->plain() : nullptr;
    if (plain && point.key.procs == procs && is_message_study(point)) {
        const bool receives = plan::find_operation(point.key.operation).is(plan::Fact::receives);
        return plain->overhead_ns ? std::optional(std::pair(receives ? receive_overhead : send_overhead,
                                                            *plain->overhead_ns))
                                  : std::nullopt;
    }
    if (point.key.operation == one_way_calls && point.key.procs == procs) {
        return std::pair(LogGpInput::one_way, *point.value_ns);
    }
    return point.key.operation == "message-rate" && point.key.procs == 2
               ? std::optional(std::pair(gap, *point.value_ns))
               : std::nullopt;
}

Ingredients ingredients_of(const std::vector<PointResult>& points, int procs) {
    Ingredients found;
    const auto one_way = one_way_operation(points, procs);
    for (const auto& point : points) {
        const auto input = input_of(point, procs, one_way);
        if (!input) {
            continue;
        }
        if (point.trusted() && !doubt_of(point)) {
            put(found.of(input->first), point.key.size.count, input->second);
        } else {
            found.doubtful.insert(input->first);
        }
    }
    return found;
}

/// Notes which of them a run lacks, and which it has only of points that cannot be relied on.
void put_missing(LogGp& parameters, Ingredients& found) {
    using enum LogGpInput;
    for (const auto input : {send_overhead, receive_overhead, one_way, gap}) {
        if (found.of(input).empty()) {
            auto& list = found.doubtful.contains(input) ? parameters.unreliable : parameters.missing;
            list.push_back(input);
        }
    }
}

/// A line through points: its value at 1 byte and its slope.
struct Line {
    stats::Estimate at_one;
    stats::Estimate slope;
};

/// By weighted least squares. Where the points scatter around the line by more than their errors say, the
/// errors of the line grow as much (the Birge ratio).
Line fit(const TimeCurve& curve) {
    std::vector<double> sizes;
    std::vector<double> values;
    std::vector<double> weights;
    for (const auto& [size, at] : curve) {
        const double error = std::max(at.error, 1e-9 * std::max(1.0, std::abs(at.value)));
        sizes.push_back(static_cast<double>(size));
        values.push_back(at.value);
        weights.push_back(1 / (error * error));
    }
    const stats::LineFit line(sizes, values, weights);
    const double scatter = std::max(1.0, line.residual_deviation());
    const auto scattered = [&](const stats::Estimate& estimate) {
        return stats::Estimate{.value = estimate.value, .error = scatter * estimate.error};
    };
    return {.at_one = scattered(line.at(1)), .slope = scattered(line.slope())};
}

stats::Reduced figure(const stats::Estimate& estimate) {
    const double reach = stats::normal_factor * estimate.error;
    return {.value = estimate.value,
            .ci95 = stats::Interval{.low = estimate.value - reach, .high = estimate.value + reach}};
}

/// The median over sizes, with the interval of the median size, so that one bad size has no effect.
std::optional<stats::Reduced> middle_of(const TimeCurve& curve) {
    if (curve.empty()) {
        return std::nullopt;
    }
    std::vector<double> values;
    std::vector<double> errors;
    for (const auto& [size, at] : curve) {
        values.push_back(at.value);
        errors.push_back(at.error);
    }
    return figure({.value = stats::median_of(values), .error = stats::median_of(errors)});
}

TimeCurve between(const TimeCurve& curve, std::int64_t from, std::int64_t to) {
    return {curve.lower_bound(from), curve.upper_bound(to)};
}

/// T - o_s - o_r, where all of them are known: L + (s-1) G. The line's value at 1 byte is L, whatever G is.
TimeCurve wire_times(const Ingredients& found, std::int64_t from, std::int64_t to) {
    TimeCurve made;
    for (const auto& [size, time] : between(found.one_way, from, to)) {
        const auto send = found.send_overhead.find(size);
        const auto receive = found.receive_overhead.find(size);
        if (send != found.send_overhead.end() && receive != found.receive_overhead.end()) {
            made[size] = {.value = time.value - send->second.value - receive->second.value,
                          .error = std::hypot(time.error, send->second.error, receive->second.error)};
        }
    }
    return made;
}

LogGpRange range_of(const Ingredients& found, std::int64_t from, std::int64_t to) {
    const auto gaps = between(found.gap, from, to);
    const auto wires = wire_times(found, from, to);
    LogGpRange range{.from = {from},
                     .to = {to},
                     .latency_ns = {},
                     .send_overhead_ns = middle_of(between(found.send_overhead, from, to)),
                     .receive_overhead_ns = middle_of(between(found.receive_overhead, from, to)),
                     .gap_ns = {},
                     .gap_per_byte_ns = {},
                     .gap_sizes = gaps.size(),
                     .wire_sizes = wires.size()};
    if (gaps.size() >= least_loggp_sizes) {
        const auto line = fit(gaps);
        range.gap_ns = figure(line.at_one);
        range.gap_per_byte_ns = figure(line.slope);
    }
    if (wires.size() >= least_loggp_sizes) {
        range.latency_ns = figure(fit(wires).at_one);
    }
    return range;
}

/// Ranges in which both the time between messages and the time on the wire are about a line of the size.
std::vector<LogGpRange> ranges_of(const Ingredients& found) {
    constexpr double tolerable = 0.1;
    const auto wires = wire_times(found, 0, INT64_MAX);
    std::vector<double> sizes;
    std::vector<stats::ToleratedSeries> series(2);
    for (const auto& [size, gap] : found.gap) {
        if (const auto wire = wires.find(size); wire != wires.end()) {
            sizes.push_back(static_cast<double>(size));
            series[0].values.push_back(gap.value);
            series[0].tolerances.push_back(std::max(tolerable * gap.value, gap.error));
            series[1].values.push_back(wire->second.value);
            series[1].tolerances.push_back(
                std::max(tolerable * found.one_way.at(size).value, wire->second.error));
        }
    }
    std::vector<LogGpRange> ranges;
    std::size_t begin = 0;
    for (const auto end : stats::line_segments(sizes, series, least_loggp_sizes)) {
        if (end > begin) {
            ranges.push_back(range_of(found, std::llround(sizes[begin]), std::llround(sizes[end - 1])));
        }
        begin = end;
    }
    return ranges;
}

}  // namespace

std::vector<LogGp> loggp_of(const std::vector<PointResult>& points) {
    std::set<int> all_procs;
    for (const auto& point : points) {
        if (is_message_study(point)) {
            all_procs.insert(point.key.procs);
        }
    }
    std::vector<LogGp> made;
    for (const int procs : all_procs) {
        auto found = ingredients_of(points, procs);
        LogGp parameters{.procs = procs, .ranges = {}};
        put_missing(parameters, found);
        if (parameters.missing.empty() && parameters.unreliable.empty()) {
            parameters.ranges = ranges_of(found);
        }
        made.push_back(std::move(parameters));
    }
    return made;
}

}  // namespace fathom::analysis
