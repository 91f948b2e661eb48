#include "tree/analysis/stored_calls.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "analysis/point/point_result.hpp"
#include "base/error.hpp"
#include "plan/implementations.hpp"
#include "plan/plan_toml.hpp"
#include "tree/file.hpp"

namespace fathom::tree {
namespace {

/// By which kernels say how long a rank computed (src/probe/ops/kernel.cpp).
constexpr const char* computing_tally = "compute_ns";
constexpr const char* whole_tally = "total_ns";

Tree tree_of_point(const store::RunRow& run, const plan::PointKey& key) {
    plan::Plan plan;
    plan::read_stored_plan(plan, run.plan_toml, run.id);
    const auto implementation = plan::implementation_of(key);
    const auto found = std::ranges::find(plan.trees, implementation.name, &plan::TreeText::name);
    if (implementation.kind != plan::ImplementationKind::tree || found == plan.trees.end()) {
        throw BadInput(
            fmt::format("the plan of run {} has no tree for {}; measure it again with --via tree:FILE.",
                        run.id, to_text(key)));
    }
    return read_tree(found->text, found->file);
}

/// The times of a rank's events, by its own clock.
struct OwnTimes {
    std::int64_t first = INT64_MAX;
    std::int64_t last = INT64_MIN;

    void include(std::int64_t moment) {
        if (moment != Event::never) {
            first = std::min(first, moment);
            last = std::max(last, moment);
        }
    }
};

/// One launch of a point.
void gather_launch(const store::Store& store, const store::PointRow& point, int launch,
                   CallGatherer& gatherer) {
    const auto clock = analysis::global_time_of(store, point);
    if (!clock.known()) {
        throw BadInput(
            fmt::format("the clocks of {} were never compared, so that its events have no common time; "
                        "measure it again.",
                        to_text(point.key)));
    }
    std::map<int, OwnTimes> own;
    store.visit_events(point.id, [&](int rank, const std::vector<journal::CallEvent>& stored) {
        std::vector<Event> events;
        events.reserve(stored.size());
        for (const auto& event : stored) {
            // What cannot be a number of a call or collector fits no tree, and is counted as such.
            const bool sound = event.call >= 0 && event.call <= UINT32_MAX && event.collector >= 0;
            events.push_back({.call = sound ? static_cast<std::uint32_t>(event.call) : 0,
                              .collector = sound ? static_cast<std::uint32_t>(event.collector) : UINT32_MAX,
                              .down_ns = event.down_ns,
                              .up_ns = event.up_ns});
            own[rank].include(event.down_ns);
            own[rank].include(event.up_ns);
        }
        gatherer.add(launch, rank, events,
                     [&](int of, Nanoseconds moment) { return clock.global(of, moment); });
    });
    for (const auto& [rank, times] : own) {
        if (times.first <= times.last) {
            gatherer.add_bound(rank, clock.largest_bound(rank, {times.first}, {times.last}));
        }
    }
    for (const auto& [rank, counts] : store.tallies(point.id)) {
        const auto computing = counts.find(computing_tally);
        const auto whole = counts.find(whole_tally);
        if (computing != counts.end() && whole != counts.end() && whole->second > 0) {
            gatherer.add_computing(rank, computing->second, whole->second);
        }
    }
    if (const auto trace = store.trace(point.id)) {
        gatherer.add_dropped(trace->dropped);
    }
}

}  // namespace

std::vector<TracedPoint> traced_points(const store::Store& store, const store::RunRow& run) {
    std::vector<TracedPoint> found;
    for (auto& point : store.points(run.id)) {
        const auto trace = point.damage.empty() ? store.trace(point.id) : std::nullopt;
        if (!trace || trace->events == 0) {
            continue;
        }
        const auto same = std::ranges::find(found, point.key, &TracedPoint::key);
        if (same == found.end()) {
            found.push_back({.position = point.position, .key = point.key, .launches = {std::move(point)}});
        } else {
            same->launches.push_back(std::move(point));
        }
    }
    return found;
}

StoredTrace read_trace(const store::Store& store, const store::RunRow& run, const TracedPoint& point) {
    StoredTrace trace{.index = NodeIndex(tree_of_point(run, point.key))};
    CallGatherer gatherer(trace.index);
    for (std::size_t i = 0; i < point.launches.size(); ++i) {
        const auto launch = static_cast<int>(i);
        gather_launch(store, point.launches[i], launch, gatherer);
        add(trace.evidence,
            analysis::evidence_of(store, point.launches[i],
                                  analysis::global_time_of(store, point.launches[i]), launch));
    }
    for (const auto& rank : store.ranks(run.id)) {
        trace.evidence.hosts[rank.rank] = rank.host;
    }
    trace.calls = gatherer.take();
    return trace;
}

}  // namespace fathom::tree
