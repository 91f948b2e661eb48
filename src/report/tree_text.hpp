#pragma once

#include <string>
#include <vector>

#include "plan/point_key.hpp"
#include "report/sentences/tree.hpp"
#include "report/style.hpp"
#include "tree/analysis/comparison.hpp"
#include "tree/analysis/tree_analysis.hpp"

namespace fathom::report {

/// What the calls of a tree took, where and why: conclusions first, then tables. Unless `all`, long tables
/// are cut after their most important rows, and fast paths are left out.
std::string tree_analysis_text(const tree::TreeAnalysis& analysis, const Terminal& terminal, bool all);

/// A path by stages, hot spots first.
std::string breakdown_text(const tree::NodeIndex& index, const tree::Breakdown& breakdown,
                           const Terminal& terminal);

/// What a subtree costs by kind of stage.
std::string subtree_text(const tree::NodeIndex& index, tree::Node join,
                         const std::vector<tree::KindCost>& costs, const Terminal& terminal);

/// Two trees at one point of both: which is faster, and the stages and paths that changed, most time first.
/// Unless `all`, tables are cut, but never before a stage that got slower without being reconfigured.
std::string tree_comparison_text(const TreeNames& names, const tree::TreeComparison& comparison,
                                 const Terminal& terminal, bool all);

/// Two trees at one of the points that were measured with both.
struct ComparedTreePoint {
    plan::PointKey key;  ///< without implementation
    int first_position = 0;
    int second_position = 0;
    std::size_t first_calls = 0;
    std::size_t second_calls = 0;
    tree::TreeComparison comparison;
    std::vector<std::string> gaps = {};  ///< what is missing from their traces, in words
};

/// One row for each point: which tree is faster and by how much.
std::string tree_speedups_text(const TreeNames& names, const std::vector<ComparedTreePoint>& points,
                               const Terminal& terminal);

}  // namespace fathom::report
