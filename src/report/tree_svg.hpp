#pragma once

#include <string>
#include <vector>

#include "report/sentences/tree.hpp"
#include "tree/analysis/tree_analysis.hpp"

namespace fathom::report {

/// Timemaps of all paths with and without arrival waits, and departures by their order: one self-contained
/// picture.
std::string tree_analysis_svg(const tree::TreeAnalysis& analysis, const std::string& title);

/// Two trees at one point of both.
struct ComparedTimemaps {
    std::string title;  ///< of the point
    tree::TreeAnalysis first;
    tree::TreeAnalysis second;
};

/// For each point: the timemaps of both trees without arrival waits, scaled to the same height; the same of
/// one path, the representative of the slower tree's slowest ones; and departures by their order in both.
std::string compared_trees_svg(const TreeNames& names, const std::vector<ComparedTimemaps>& points,
                               const std::string& title);

}  // namespace fathom::report
