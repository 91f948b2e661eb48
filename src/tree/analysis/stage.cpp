#include "tree/analysis/stage.hpp"

#include <algorithm>
#include <cmath>

#include "stats/quantile.hpp"

namespace fathom::tree {
namespace {

JoinMoments moments_at(const NodeIndex& index, const TracedCalls& calls, std::size_t call, Node join) {
    JoinMoments found;
    bool all_arrived = true;
    bool all_departed = true;
    for (const Node child : index.children(join)) {
        const auto& passage = calls.at(call, child, End::parent);
        all_arrived = all_arrived && passage.down_ns != Event::never;
        all_departed = all_departed && passage.up_ns != Event::never;
        if (passage.down_ns != Event::never && (found.last < 0 || passage.down_ns > found.last_arrival_ns)) {
            found.last_arrival_ns = passage.down_ns;
            found.last = child;
        }
        if (passage.up_ns != Event::never && !passage.source &&
            (found.first_departure_ns == Event::never || passage.up_ns < found.first_departure_ns)) {
            found.first_departure_ns = passage.up_ns;
        }
    }
    // Who is missing may have been the last or the first.
    if (!all_arrived) {
        found.last_arrival_ns = Event::never;
        found.last = -1;
    }
    if (!all_departed) {
        found.first_departure_ns = Event::never;
    }
    return found;
}

}  // namespace

std::optional<StageSummary> summary_of(const std::vector<double>& in_order) {
    constexpr double low = 0.1;
    constexpr double high = 0.9;
    const auto summary = stats::summarise(in_order);
    if (!summary) {
        return std::nullopt;
    }
    auto sorted = in_order;
    std::sort(sorted.begin(), sorted.end());
    return StageSummary{.count = summary->count,
                        .mean_ns = summary->mean,
                        .median_ns = summary->median,
                        .median_ci95_ns = summary->median_ci95,
                        .deviation_ns = std::sqrt(summary->variance),
                        .min_ns = summary->min,
                        .p10_ns = stats::quantile(sorted, low),
                        .p90_ns = stats::quantile(sorted, high),
                        .p99_ns = summary->p99,
                        .max_ns = summary->max};
}

StageTimes::StageTimes(const NodeIndex& index, const TracedCalls& calls) : index_(index), calls_(calls) {
    moments_.reserve(size() * static_cast<std::size_t>(index.joins()));
    for (std::size_t call = 0; call < size(); ++call) {
        for (int join = 0; join < index.joins(); ++join) {
            moments_.push_back(moments_at(index, calls, call, node_of_join(index.tree(), join)));
        }
        if (is_complete(index, calls, call)) {
            complete_.push_back(call);
        }
    }
}

std::optional<StageTimes::Span> StageTimes::span(std::size_t call, const Stage& stage) const {
    const auto& own = calls_.at(call, stage.node, End::own);
    const bool of_edge = stage.kind != StageKind::join_down && stage.kind != StageKind::store &&
                         stage.kind != StageKind::join_up;
    // The root has no parent's end; its passages there are empty.
    const auto& far = calls_.at(call, stage.node, End::parent);
    const auto& at_join = moments(call, of_edge ? index_.parent(stage.node) : stage.node);
    Span span;
    switch (stage.kind) {
        case StageKind::edge_down:
            span = {.from_ns = own.down_ns, .to_ns = far.down_ns};
            break;
        case StageKind::arrival_wait:
            span = {.from_ns = far.down_ns, .to_ns = at_join.last_arrival_ns};
            break;
        case StageKind::join_down:
            span = {.from_ns = at_join.last_arrival_ns, .to_ns = own.down_ns};
            break;
        case StageKind::store:
            span = {.from_ns = own.down_ns, .to_ns = own.up_ns};
            break;
        case StageKind::join_up:
            span = {.from_ns = own.up_ns, .to_ns = at_join.first_departure_ns};
            break;
        case StageKind::departure_wait:
            span = {.from_ns = at_join.first_departure_ns, .to_ns = far.up_ns};
            break;
        case StageKind::edge_up:
            span = {.from_ns = far.up_ns, .to_ns = own.up_ns};
            break;
    }
    // The contributor that a broadcast's data come from does not depart.
    const bool departs = stage.kind == StageKind::departure_wait || stage.kind == StageKind::edge_up;
    if (span.from_ns == Event::never || span.to_ns == Event::never ||
        (departs && (own.source || far.source))) {
        return std::nullopt;
    }
    return span;
}

std::optional<std::int64_t> StageTimes::time(std::size_t call, const Stage& stage) const {
    const auto found = span(call, stage);
    return found ? std::optional(found->to_ns - found->from_ns) : std::nullopt;
}

std::vector<double> StageTimes::series(const Stage& stage) const {
    std::vector<double> times;
    times.reserve(size());
    for (std::size_t call = 0; call < size(); ++call) {
        if (const auto found = time(call, stage)) {
            times.push_back(static_cast<double>(*found));
        }
    }
    return times;
}

std::optional<std::int64_t> StageTimes::two_way(std::size_t call, Node node) const {
    const auto& own = calls_.at(call, node, End::own);
    const auto& far = calls_.at(call, node, End::parent);
    if (own.down_ns == Event::never || own.up_ns == Event::never || far.down_ns == Event::never ||
        far.up_ns == Event::never) {
        return std::nullopt;
    }
    return (own.up_ns - own.down_ns) - (far.up_ns - far.down_ns);
}

std::vector<Stage> path_of(const NodeIndex& index, Node node, bool down, bool up) {
    std::vector<Stage> stages;
    const auto way = index.way_to_root(node);
    if (down) {
        for (const Node at : way) {
            if (!index.is_leaf(at)) {
                stages.push_back({StageKind::join_down, at});
            }
            if (at != index.root()) {
                stages.push_back({StageKind::edge_down, at});
                stages.push_back({StageKind::arrival_wait, at});
            }
        }
    }
    if (down && up) {
        stages.push_back({StageKind::store, index.root()});
    }
    if (up) {
        for (auto place = way.size(); place-- > 0;) {
            const Node at = way[place];
            if (at != index.root()) {
                stages.push_back({StageKind::departure_wait, at});
                stages.push_back({StageKind::edge_up, at});
            }
            if (!index.is_leaf(at)) {
                stages.push_back({StageKind::join_up, at});
            }
        }
    }
    return stages;
}

std::vector<Stage> all_stages(const NodeIndex& index, bool down, bool up) {
    std::vector<Stage> stages;
    for (const auto kind : values_of<StageKind>) {
        const bool downwards =
            kind == StageKind::edge_down || kind == StageKind::arrival_wait || kind == StageKind::join_down;
        if (kind == StageKind::store ? !(down && up) : downwards ? !down : !up) {
            continue;
        }
        const bool of_join =
            kind == StageKind::join_down || kind == StageKind::join_up || kind == StageKind::store;
        const Node first = of_join ? index.root() : 0;
        const Node end = kind == StageKind::store ? index.root() + 1 : index.nodes();
        for (Node node = first; node < end; ++node) {
            if (of_join || node != index.root()) {
                stages.push_back({kind, node});
            }
        }
    }
    return stages;
}

std::vector<int> ranks_of(const NodeIndex& index, const Stage& stage) {
    const int own = index.rank(stage.node);
    switch (stage.kind) {
        case StageKind::join_down:
        case StageKind::join_up:
        case StageKind::store:
            return {own};
        case StageKind::arrival_wait:
        case StageKind::departure_wait:
            return {index.rank(index.parent(stage.node))};
        case StageKind::edge_down:
        case StageKind::edge_up:
            break;
    }
    const int far = index.rank(index.parent(stage.node));
    return own == far ? std::vector{own} : std::vector{own, far};
}

}  // namespace fathom::tree
