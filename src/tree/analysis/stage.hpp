#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "base/named_enum.hpp"
#include "stats/summary.hpp"
#include "tree/analysis/traced_calls.hpp"

namespace fathom::tree {

/// The parts of a path from a leaf to the root and back. The times of all stages of a path add up to the time
/// of its leaf in the call, without anything counted twice or left out.
enum class StageKind {
    edge_down,       ///< from a node to its parent: t2 - t1
    arrival_wait,    ///< of a contributor for the last one: t1,l - t1,i
    join_down,       ///< from the last arrival until the join passes its result on: t2 - t1,l
    store,           ///< of the result, at the root
    join_up,         ///< from the result's arrival at a join to the first departure: t4,f - t3
    departure_wait,  ///< of a contributor after the first one: t4,i - t4,f
    edge_up          ///< from the parent to a node
};
constexpr std::array<std::string_view, 7> enum_names(StageKind /*unused*/) {
    return {"edge-down", "arrival-wait", "join-down", "store", "join-up", "departure-wait", "edge-up"};
}

/// A stage of a tree. Edges and waits are those of `node` and its parent, the others those of join `node`.
struct Stage {
    StageKind kind = StageKind::store;
    Node node = 0;

    friend auto operator<=>(const Stage&, const Stage&) = default;
};

/// What a stage's times over all calls come to.
struct StageSummary {
    std::size_t count = 0;
    double mean_ns = 0;
    double median_ns = 0;
    std::optional<stats::Interval> median_ci95_ns = {};
    double deviation_ns = 0;
    double min_ns = 0;
    double p10_ns = 0;
    double p90_ns = 0;
    double p99_ns = 0;
    double max_ns = 0;
};

/// Nothing for no values. The order matters to the interval alone.
std::optional<StageSummary> summary_of(const std::vector<double>& in_order);

/// What happened at a join in one call.
struct JoinMoments {
    std::int64_t last_arrival_ns = Event::never;
    std::int64_t first_departure_ns = Event::never;
    Node last = -1;  ///< who arrived last; of several, the first in the order of the tree
};

/// The times of all stages in all calls. Holds no copies: index and calls must outlive it.
class StageTimes {
  public:
    StageTimes(const NodeIndex& index, const TracedCalls& calls);

    [[nodiscard]] const NodeIndex& index() const { return index_; }
    [[nodiscard]] const TracedCalls& calls() const { return calls_; }
    [[nodiscard]] std::size_t size() const { return calls_.calls.size(); }
    /// Calls of which every event is there, by their place.
    [[nodiscard]] const std::vector<std::size_t>& complete() const { return complete_; }
    [[nodiscard]] const JoinMoments& moments(std::size_t call, Node join) const {
        return moments_[call * static_cast<std::size_t>(index_.joins()) +
                        static_cast<std::size_t>(join - index_.leaves())];
    }

    /// The time of a stage in a call; nothing where an event that it needs is missing.
    [[nodiscard]] std::optional<std::int64_t> time(std::size_t call, const Stage& stage) const;
    /// From when to when, on the global clock.
    struct Span {
        std::int64_t from_ns = 0;
        std::int64_t to_ns = 0;
    };
    [[nodiscard]] std::optional<Span> span(std::size_t call, const Stage& stage) const;
    /// Its times in all calls that have it, in their order.
    [[nodiscard]] std::vector<double> series(const Stage& stage) const;

    /// The two-way latency of an edge, which needs no common clock: (t4 - t1) - (t3 - t2).
    [[nodiscard]] std::optional<std::int64_t> two_way(std::size_t call, Node node) const;

  private:
    const NodeIndex& index_;
    const TracedCalls& calls_;
    std::vector<JoinMoments> moments_;
    std::vector<std::size_t> complete_;
};

/// The stages of the path of a node, in the order in which data pass them: down to the root, the store, and
/// up.
std::vector<Stage> path_of(const NodeIndex& index, Node node, bool down, bool up);

/// All stages that a tree has.
std::vector<Stage> all_stages(const NodeIndex& index, bool down, bool up);

/// The ranks at which the time of a stage passes: two for an edge between ranks.
std::vector<int> ranks_of(const NodeIndex& index, const Stage& stage);

}  // namespace fathom::tree
