#include "tree/analysis/parts.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>

#include "stats/mean.hpp"
#include "stats/quantile.hpp"

namespace fathom::tree {
namespace {

/// Times by place, as they are gathered.
using ByPlace = std::map<std::size_t, std::vector<double>>;

std::vector<TimesAtPlace> at_places(const ByPlace& gathered) {
    std::vector<TimesAtPlace> found;
    for (const auto& [place, times] : gathered) {
        found.push_back({.place = place,
                         .calls = times.size(),
                         .mean_ns = stats::mean(times),
                         .median_ns = stats::median_of(times)});
    }
    return found;
}

/// Visits contributors in the order of their times, those of equal times together: `visit(members, before)`
/// gets their positions and how many came before.
template <typename Visit>
void visit_in_order(std::span<const std::int64_t> moments, Visit visit) {
    std::vector<std::size_t> order(moments.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return moments[a] < moments[b]; });
    for (std::size_t begin = 0; begin < order.size();) {
        auto end = begin;
        while (end < order.size() && moments[order[end]] == moments[order[begin]]) {
            ++end;
        }
        visit(std::span(order).subspan(begin, end - begin), begin);
        begin = end;
    }
}

/// Counts the places of one call.
void count_places(std::span<const std::int64_t> moments, std::vector<ContributorResult>& contributors,
                  std::vector<double> ContributorResult::*counts) {
    visit_in_order(moments, [&](std::span<const std::size_t> members, std::size_t before) {
        const double share = 1 / static_cast<double>(members.size());
        for (const auto member : members) {
            for (std::size_t place = before; place < before + members.size(); ++place) {
                (contributors[member].*counts)[place] += share;
            }
        }
    });
}

/// When all contributors of a join passed it in one way; empty if an event is missing.
std::vector<std::int64_t> passages_at(const StageTimes& times, std::size_t call, Node join,
                                      std::int64_t Passage::*way) {
    std::vector<std::int64_t> moments;
    for (const Node child : times.index().children(join)) {
        const auto moment = times.calls().at(call, child, End::parent).*way;
        if (moment == Event::never) {
            return {};
        }
        moments.push_back(moment);
    }
    return moments;
}

JoinResult join_result(const StageTimes& times, Node join) {
    const auto& children = times.index().children(join);
    JoinResult result{.node = join};
    result.down = summary_of(times.series({StageKind::join_down, join}));
    result.up = summary_of(times.series({StageKind::join_up, join}));
    std::vector<ByPlace> waits(children.size());
    ByPlace serialisation;
    for (const Node child : children) {
        auto& contributor = result.contributors.emplace_back();
        contributor.node = child;
        contributor.arrival_wait = summary_of(times.series({StageKind::arrival_wait, child}));
        contributor.departure_wait = summary_of(times.series({StageKind::departure_wait, child}));
        contributor.arrival_order.resize(children.size());
        contributor.departure_order.resize(children.size());
    }
    for (std::size_t call = 0; call < times.size(); ++call) {
        count_places(passages_at(times, call, join, &Passage::down_ns), result.contributors,
                     &ContributorResult::arrival_order);
        const auto departures = passages_at(times, call, join, &Passage::up_ns);
        count_places(departures, result.contributors, &ContributorResult::departure_order);
        const auto up = times.time(call, {StageKind::join_up, join});
        visit_in_order(departures, [&](std::span<const std::size_t> members, std::size_t before) {
            for (const auto member : members) {
                const auto waited = times.time(call, {StageKind::departure_wait, children[member]});
                if (!waited) {
                    continue;
                }
                const auto wait = static_cast<double>(*waited);
                waits[member][before].push_back(wait);
                if (up) {
                    serialisation[before].push_back(static_cast<double>(*up) + wait);
                }
            }
        });
    }
    for (std::size_t i = 0; i < children.size(); ++i) {
        result.contributors[i].last_arrivals = result.contributors[i].arrival_order.back();
        result.contributors[i].departure_waits_by_place = at_places(waits[i]);
    }
    result.serialisation = at_places(serialisation);
    return result;
}

SubtreeResult subtree_result(const StageTimes& times, Node join) {
    const auto leaves = times.index().leaves_below(join);
    SubtreeResult result{.node = join};
    for (const int leaf : leaves) {
        result.clock_bound =
            std::max(result.clock_bound,
                     times.calls().bound_between(times.index().rank(leaf), times.index().rank(join)));
    }
    std::vector<double> down;
    std::vector<double> up;
    std::vector<double> departure;
    for (const auto call : times.complete()) {
        std::vector<std::int64_t> entries;
        std::vector<std::int64_t> exits;
        for (const int leaf : leaves) {
            entries.push_back(times.calls().at(call, leaf, End::own).down_ns);
            exits.push_back(times.calls().at(call, leaf, End::own).up_ns);
        }
        const auto& own = times.calls().at(call, join, End::own);
        if (times.calls().down) {
            down.push_back(static_cast<double>(own.down_ns - *std::ranges::max_element(entries)));
        }
        if (times.calls().up) {
            const auto [first, last] = std::ranges::minmax_element(exits);
            up.push_back(static_cast<double>(*first - own.up_ns));
            departure.push_back(static_cast<double>(*last - *first));
        }
    }
    result.down = summary_of(down);
    result.up = summary_of(up);
    result.departure_wait = summary_of(departure);
    return result;
}

}  // namespace

std::vector<EdgeResult> edges_of(const StageTimes& times) {
    const auto& index = times.index();
    std::vector<EdgeResult> edges;
    for (Node node = 0; node < index.nodes(); ++node) {
        if (node == index.root()) {
            continue;
        }
        std::vector<double> two_way;
        for (std::size_t call = 0; call < times.size(); ++call) {
            if (const auto found = times.two_way(call, node)) {
                two_way.push_back(static_cast<double>(*found));
            }
        }
        const int parent_rank = index.rank(index.parent(node));
        edges.push_back({.node = node,
                         .kind = index.edge(node),
                         .rank = index.rank(node),
                         .parent_rank = parent_rank,
                         .two_way = summary_of(two_way),
                         .down = summary_of(times.series({StageKind::edge_down, node})),
                         .up = summary_of(times.series({StageKind::edge_up, node})),
                         .clock_bound = times.calls().bound_between(index.rank(node), parent_rank)});
    }
    return edges;
}

std::vector<JoinResult> joins_of(const StageTimes& times) {
    std::vector<JoinResult> joins;
    for (Node join = times.index().root(); join < times.index().nodes(); ++join) {
        joins.push_back(join_result(times, join));
    }
    return joins;
}

std::vector<SubtreeResult> subtrees_of(const StageTimes& times) {
    const auto& index = times.index();
    std::vector<SubtreeResult> subtrees;
    for (Node join = index.root(); join < index.nodes(); ++join) {
        if (std::ranges::any_of(index.children(join), [&](Node child) { return !index.is_leaf(child); })) {
            subtrees.push_back(subtree_result(times, join));
        }
    }
    return subtrees;
}

}  // namespace fathom::tree
