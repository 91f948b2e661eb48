#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "tree/analysis/stage.hpp"

namespace fathom::tree {

/// The latencies of an edge. One-way latencies hold within the clock bound; the two-way latency needs no
/// common clock.
struct EdgeResult {
    Node node = 0;  ///< its lower end
    EdgeKind kind = EdgeKind::message;
    int rank = 0;
    int parent_rank = 0;
    std::optional<StageSummary> two_way = {};
    std::optional<StageSummary> down = {};
    std::optional<StageSummary> up = {};
    Nanoseconds clock_bound{0};  ///< of both one-way latencies; 0 where one rank has both ends
};

/// Times of those calls in which something came at one place in the order. Without that condition a departure
/// wait is a mixture of distributions.
struct TimesAtPlace {
    std::size_t place = 0;  ///< how many came strictly before
    std::size_t calls = 0;
    double mean_ns = 0;
    double median_ns = 0;
};

/// One contributor of a join.
struct ContributorResult {
    Node node = 0;
    std::optional<StageSummary> arrival_wait = {};
    std::optional<StageSummary> departure_wait = {};
    /// In how many calls it came first, second and so on. Where several come simultaneously, each counts for
    /// an equal share of their places.
    std::vector<double> arrival_order = {};
    std::vector<double> departure_order = {};
    double last_arrivals = 0;  ///< the last of the arrival order
    std::vector<TimesAtPlace> departure_waits_by_place = {};
};

struct JoinResult {
    Node node = 0;
    std::optional<StageSummary> down = {};
    std::optional<StageSummary> up = {};
    std::vector<ContributorResult> contributors = {};
    /// Up latency plus departure wait by order of departure: how far departures are serialised.
    std::vector<TimesAtPlace> serialisation = {};
};

/// A subtree as if it were one join: from the entry of its last leaf until it passes its result on, and from
/// the result's arrival until its leaves have it. Leaves are on other ranks, so the clock bound applies.
struct SubtreeResult {
    Node node = 0;  ///< its join
    std::optional<StageSummary> down = {};
    std::optional<StageSummary> up = {};              ///< until the first leaf has the result
    std::optional<StageSummary> departure_wait = {};  ///< from then until the last one has
    Nanoseconds clock_bound{0};
};

std::vector<EdgeResult> edges_of(const StageTimes& times);
std::vector<JoinResult> joins_of(const StageTimes& times);
/// Of all joins that have joins below them, the root included.
std::vector<SubtreeResult> subtrees_of(const StageTimes& times);

}  // namespace fathom::tree
