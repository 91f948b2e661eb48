#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "tree/analysis/stage.hpp"

namespace fathom::report {

/// The first calls of a tree in the Trace Event Format, which Perfetto and Chrome read: a process for each
/// rank, in it a track for each leaf and each join, and on these the stages. Times are on the global clock,
/// in microseconds. The calls should be of one launch.
std::string tree_trace_json(const tree::StageTimes& times, const std::map<int, std::string>& hosts,
                            const std::string& operation, std::size_t most_calls);

}  // namespace fathom::report
