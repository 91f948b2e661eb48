#pragma once

#include <string>

#include "tree/analysis/advice.hpp"
#include "tree/analysis/comparison.hpp"
#include "tree/analysis/tree_analysis.hpp"

namespace fathom::report {

/// `rank 3`, `thread 1 of rank 3`, `join host2`. All names here are printable.
std::string node_text(const tree::NodeIndex& index, tree::Node node);

/// `edge from rank 3 to join host2`, `up latency of join host2`
std::string stage_text(const tree::NodeIndex& index, const tree::Stage& stage);

/// What a part of two trees is: `edge of rank 3, both ways`.
std::string part_text(const tree::ComparedPart& part);
std::string part_text(const tree::LonePart& part);

/// What became of a part in the second tree: `slower`, `not reconfigured, yet slower`.
std::string part_verdict_text(const tree::ComparedPart& part);

/// What two trees are called.
struct TreeNames {
    std::string first;
    std::string second;
};

/// What is said of a stage that the first tree alone has, or the second.
std::string lone_text(const TreeNames& names, bool first);

/// The name of the faster tree; empty if none is.
std::string faster_name(const TreeNames& names, const tree::TreeComparison& comparison);

/// What to change, with what shows it; one to three sentences with their full stops.
std::string sentence(const tree::NodeIndex& index, const tree::Advice& advice);

/// Rare calls in which a stage took far longer, without its full stop.
std::string sentence(const tree::NodeIndex& index, const tree::StageOutliers& outliers);
std::string sentence(const tree::PeriodicDisturbance& disturbance);

/// Whether ranks enter calls late, and who; with full stops.
std::string conclusion(const tree::NodeIndex& index, const tree::LoadBalance& balance);

/// Which tree is faster, and why that is more or less than paths suggest; with full stops.
std::string conclusion(const TreeNames& names, const tree::TreeComparison& comparison);

/// What is missing from a trace; empty if nothing is.
std::string gaps_text(const tree::TreeAnalysis& analysis);
std::string gaps_text(const tree::StageTimes& times);

}  // namespace fathom::report
