#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/across_runs/comparison.hpp"
#include "stats/summary.hpp"
#include "tree/analysis/stage.hpp"

namespace fathom::tree {

/// What is compared between two trees. Edges by their two-way latency, which needs no common clock.
enum class ComparedKind { tree, slowest_path, path, edge, join_down, join_up, departure_wait, store };
constexpr std::array<std::string_view, 8> enum_names(ComparedKind /*unused*/) {
    return {"tree", "slowest-path", "path", "edge", "join-down", "join-up", "departure-wait", "store"};
}

/// One part that both trees have.
struct ComparedPart {
    ComparedKind kind = ComparedKind::tree;
    std::string name = {};  ///< of its leaf or join; empty for the whole tree and the store
    bool unchanged =
        false;  ///< configured as before: it and what it is connected to have the same places and kinds
    double first_ns = 0;  ///< medians
    double second_ns = 0;
    double first_mean_ns = 0;
    double second_mean_ns = 0;
    std::optional<double> ratio = {};  ///< second by first; nothing where one takes no time
    std::optional<stats::Interval> ratio_ci95 = {};
    double p_value = 1;  ///< that nothing changed, corrected for all parts
    analysis::Change change = analysis::Change::undecided;
};

/// A stage that only one of the trees has.
struct LonePart {
    ComparedKind kind = ComparedKind::edge;
    std::string name = {};
    double median_ns = 0;
    double mean_ns = 0;
};

struct TreeComparison {
    std::vector<ComparedPart> parts = {};       ///< the tree first, then what changed most, in time
    std::vector<LonePart> parts_of_first = {};  ///< alone, most time first
    std::vector<LonePart> parts_of_second = {};
    std::vector<std::string> only_first = {};  ///< joins that the other tree has not
    std::vector<std::string> only_second = {};
    /// The slowest paths by their means got faster, and yet the tree is slower since the slowest path of each
    /// call is: the other paths, or their variation.
    bool means_mislead = false;
    std::size_t paths_faster = 0;
    std::size_t paths_slower = 0;
};

/// How many times faster the faster of two is, with its interval.
struct Speedup {
    double factor = 1;
    std::optional<stats::Interval> ci95 = {};
};
/// Nothing unless one is faster and both take time.
std::optional<Speedup> speedup_of(const ComparedPart& part);

/// The comparison of the whole trees; none where no call of both has all its events.
const ComparedPart* whole_tree(const TreeComparison& comparison);

/// Both should have been measured in turn in one job: launches may differ by more than trees do.
TreeComparison compare_trees(const StageTimes& first, const StageTimes& second);

}  // namespace fathom::tree
