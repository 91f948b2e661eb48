#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/run/run_result.hpp"
#include "tune/model/layout.hpp"
#include "tune/model/network.hpp"

/// Models and what was measured.
namespace fathom::tune {

/// A run that parameters or times come from.
struct SourceRun {
    const analysis::RunResult* result = nullptr;
    std::vector<std::string> hosts = {};  ///< of each rank of the job
};

/// What runs tell of a network; each figure from the first run that has it.
struct MeasuredParameters {
    std::optional<Link> between;
    std::optional<Link> inside;
    std::optional<double> reduce_ns_per_byte;
    bool between_overhead = false;  ///< measured; else it is alpha
    bool inside_overhead = false;
};

/// Alpha and beta from ping-pong of one pair (`pingpong`) or of all (`matrix`), the overhead of a message
/// from `message-rate` (the gap of LogGP), gamma from `reduce_local`.
MeasuredParameters parameters_of(std::span<const SourceRun> runs);

/// Where this many ranks of a job like the run's are: as they were, or more hosts with as many ranks each.
Layout layout_like(const SourceRun& run, int procs);

}  // namespace fathom::tune
