#include "tune/measured/parameters.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "analysis/curves/curves.hpp"
#include "analysis/samples/pair_schedule.hpp"
#include "stats/change_points/curve_point.hpp"
#include "stats/quantile.hpp"
#include "tune/fit/fit.hpp"

namespace fathom::tune {
namespace {

using analysis::PointResult;

/// By size, so that each is there once.
using TimesBySize = std::map<std::int64_t, stats::MeasuredValue>;

/// Where messages went.
struct ByPlace {
    TimesBySize between;
    TimesBySize inside;

    TimesBySize& at(bool within_host) { return within_host ? inside : between; }
};

void put_time(TimesBySize& times, Bytes size, double time_ns, double error_ns) {
    if (time_ns > 0) {
        const auto x = static_cast<double>(size.count);
        times.try_emplace(
            size.count, stats::MeasuredValue{.x = x, .y = time_ns, .error = std::max(error_ns, rounding_ns)});
    }
}

/// Only what the library does by itself describes the network.
bool is_plain(const PointResult& point) {
    return point.key.scheme.empty() && point.key.progress.empty() && point.key.setting.empty() &&
           point.key.implementation.empty() && point.round_trip != plan::RoundTrip::whole;
}

/// Whether two ranks of a job are on one host. Without hosts, they are not.
bool share_host(const SourceRun& run, std::size_t one, std::size_t other) {
    return one < run.hosts.size() && other < run.hosts.size() && run.hosts[one] == run.hosts[other];
}

/// Whether the first pair of a point is within a host: `0-2`, else the first rank and the last.
bool pair_within_host(const SourceRun& run, const PointResult& point) {
    std::size_t one = 0;
    auto other = static_cast<std::size_t>(std::max(1, point.key.procs) - 1);
    if (!point.pairs.empty()) {
        const std::string_view pair = point.pairs.front();
        const auto dash = pair.find('-');
        if (dash != std::string_view::npos) {
            std::from_chars(pair.data(), pair.data() + dash, one);
            std::from_chars(pair.data() + dash + 1, pair.data() + pair.size(), other);
        }
    }
    return share_host(run, one, other);
}

ByPlace times_of_operation(const SourceRun& run, std::string_view operation) {
    ByPlace found;
    for (const auto& point : run.result->points) {
        if (point.key.operation != operation || !is_plain(point)) {
            continue;
        }
        if (const auto time = analysis::timed(point, run.result->run.simulated)) {
            put_time(found.at(pair_within_host(run, point)), point.key.size, time->time_ns, time->error_ns);
        }
    }
    return found;
}

bool pairs_share_hosts(const analysis::MatrixResult& matrix) {
    const std::set<std::string> hosts(matrix.hosts.begin(), matrix.hosts.end());
    return hosts.size() < matrix.hosts.size();
}

/// The medians over all pairs within hosts, and over all between them. What a pair gets while others share
/// its host is not what the network takes for two.
void put_matrices(ByPlace& found, const SourceRun& run) {
    const double scatter = run.result->run.simulated ? 0 : stats::point_scatter;
    for (const auto& matrix : run.result->matrices) {
        if (matrix.disturbed || (analysis::contended(matrix.key) && pairs_share_hosts(matrix))) {
            continue;
        }
        std::vector<double> between;
        std::vector<double> inside;
        for (std::size_t b = 1; b < matrix.ranks.size(); ++b) {
            for (std::size_t a = 0; a < b; ++a) {
                const auto& pair = matrix.pair(a, b);
                if (pair.reps > 0) {
                    (matrix.hosts[a] == matrix.hosts[b] ? inside : between).push_back(pair.median_ns);
                }
            }
        }
        for (const bool within : {false, true}) {
            if (auto& times = within ? inside : between; !times.empty()) {
                const double median = stats::median_of(times);
                put_time(found.at(within), matrix.key.size, median, scatter * median);
            }
        }
    }
}

/// A line from each value to the next.
PiecewiseTime interpolation(const std::vector<stats::MeasuredValue>& values) {
    PiecewiseTime made;
    for (std::size_t i = 1; i < values.size(); ++i) {
        const auto& one = values[i - 1];
        const auto& other = values[i];
        const double slope = (other.y - one.y) / (other.x - one.x);
        made.ranges.push_back(
            {.time = {one.y - slope * one.x, slope}, .up_to = {static_cast<std::int64_t>(other.x)}});
    }
    made.ranges.back().up_to = endless;
    // Beyond the last value, more bytes take no less time.
    if (auto& last = made.ranges.back().time; last.per_byte_ns < 0) {
        last = {values.back().y, 0};
    }
    return made;
}

/// The closed form if times are as close to it as medians repeat, else what is between the measured ones.
std::optional<PiecewiseTime> form_of(const TimesBySize& times) {
    std::vector<stats::MeasuredValue> values;
    for (const auto& [size, value] : times) {
        values.push_back(value);
    }
    auto form = closed_form(values);
    if (!form) {
        return std::nullopt;
    }
    double mean_error = 0;
    for (const auto& value : values) {
        mean_error += std::abs(form->at(value.x) / value.y - 1) / static_cast<double>(values.size());
    }
    if (mean_error > stats::point_scatter) {
        return interpolation(values);
    }
    // Noise may turn a line that is almost level; a message takes no less time for more bytes.
    for (auto& range : form->ranges) {
        range.time.per_byte_ns = std::max(0.0, range.time.per_byte_ns);
    }
    return form;
}

/// Times of a message in a window of so many, for which the receiver says at the end that it has them all.
struct Rates {
    TimesBySize times;
    std::int64_t window = 1;
};

/// How long a message keeps its sender from the next one. A window takes two messages one after the other,
/// and this for each of its messages but one; at no size, which the smallest sizes tell.
std::optional<double> overhead_of(const Rates& rates, double alpha_ns) {
    if (rates.times.empty() || rates.window < 2) {
        return std::nullopt;
    }
    const auto form = form_of(rates.times);
    const double each = form ? form->ranges.front().time.fixed_ns : rates.times.begin()->second.y;
    const auto window = static_cast<double>(rates.window);
    return std::clamp((window * each - 2 * alpha_ns) / (window - 1), 0.0, alpha_ns);
}

void take_link(std::optional<Link>& link, bool& overhead_known, const TimesBySize& messages,
               const Rates& rates) {
    if (link) {
        return;
    }
    auto form = form_of(messages);
    if (!form) {
        return;
    }
    const double alpha = std::max(0.0, form->ranges.front().time.fixed_ns);
    const auto overhead = overhead_of(rates, alpha);
    overhead_known = overhead.has_value();
    link = Link{.message = std::move(*form), .overhead_ns = overhead.value_or(alpha)};
}

/// Of the first run that has them.
Rates rates_of(std::span<const SourceRun> runs, bool within_host) {
    for (const auto& run : runs) {
        auto found = times_of_operation(run, "message-rate");
        if (auto& times = found.at(within_host); !times.empty()) {
            return {.times = std::move(times), .window = run.result->plan.operation.window};
        }
    }
    return {};
}

}  // namespace

MeasuredParameters parameters_of(std::span<const SourceRun> runs) {
    MeasuredParameters found;
    const auto rates_between = rates_of(runs, false);
    const auto rates_inside = rates_of(runs, true);
    for (const auto& run : runs) {
        auto messages = times_of_operation(run, "pingpong");
        put_matrices(messages, run);
        take_link(found.between, found.between_overhead, messages.between, rates_between);
        take_link(found.inside, found.inside_overhead, messages.inside, rates_inside);
        const auto reductions = times_of_operation(run, "reduce_local");
        // One rank alone: its pair is within a host where hosts are known.
        const auto form = form_of(reductions.inside.empty() ? reductions.between : reductions.inside);
        if (form && !found.reduce_ns_per_byte) {
            found.reduce_ns_per_byte = form->ranges.back().time.per_byte_ns;
        }
    }
    return found;
}

Layout layout_like(const SourceRun& run, int procs) {
    const auto known = static_cast<int>(run.hosts.size());
    if (known == 0) {
        return Layout::flat(procs);
    }
    if (procs <= known) {
        return Layout::of(std::span(run.hosts).first(static_cast<std::size_t>(procs)));
    }
    const int beside = Layout::of(run.hosts).most_on_a_host();
    return Layout::blocks(procs, (procs + beside - 1) / beside);
}

}  // namespace fathom::tune
