#pragma once

#include "journal/json.hpp"
#include "report/sentences/tree.hpp"
#include "tree/analysis/comparison.hpp"
#include "tree/analysis/tree_analysis.hpp"

namespace fathom::report {

/// The fields of `fathom.tree-analysis/1` on one point: edges, joins, late and all the others.
nlohmann::ordered_json tree_analysis_json(const tree::TreeAnalysis& analysis);

/// What the report page shows of it.
nlohmann::ordered_json tree_page_json(const tree::TreeAnalysis& analysis);

/// A path or subtree by stages.
nlohmann::ordered_json breakdown_json(const tree::NodeIndex& index, const tree::Breakdown& breakdown);
nlohmann::ordered_json kind_costs_json(const tree::NodeIndex& index,
                                       const std::vector<tree::KindCost>& costs);

/// Two trees at one point: which is faster, then part by part.
nlohmann::ordered_json tree_comparison_json(const TreeNames& names, const tree::TreeComparison& comparison);

}  // namespace fathom::report
