#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "launch/collector.hpp"
#include "launch/supervisor.hpp"
#include "plan/plan.hpp"
#include "store/store.hpp"

/// Where the runs of a store come from.
namespace fathom::launch {

/// What a run is to measure, its processes and MPI flavour settled.
struct PlannedRun {
    plan::Plan plan;
    std::vector<plan::PointSpec> points;
    store::RunOrigin origin = store::RunOrigin::user;
    std::int64_t in_turn_with = 0;  ///< the run whose launches alternate with its own; 0: none
};

/// Stores a new run, of which this process is the owner, and returns its number. `command_line` is the user's
/// command.
std::int64_t create_run(store::Store& store, const PlannedRun& planned, const std::string& command_line);

/// Deletes a run and what a killed fathom left of its jobs. Throws BadInput if it is or may still be
/// measured.
void delete_run(store::Store& store, std::int64_t run);

/// The plan of a run that is to be resumed. Throws BadInput if it is damaged.
plan::Plan plan_to_resume(const store::Store& store, const store::RunRow& run);

/// What a probe that was started by hand was to measure, by its journal. Throws BadInput if that is not there
/// or holds nothing.
PlannedRun planned_in(const std::filesystem::path& journal);

/// Takes the journal of such a probe into the store, as a run that was made for it.
Outcome collect(store::Store& store, std::int64_t run, const std::filesystem::path& journal,
                CollectorEvents events = {});

}  // namespace fathom::launch
