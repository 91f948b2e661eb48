#pragma once

#include <cstdint>
#include <string>

#include "launch/collector.hpp"
#include "launch/supervisor.hpp"
#include "plan/plan.hpp"
#include "store/store.hpp"

/// What the end of a job means for its run.
namespace fathom::launch {

/// Stores how a job ended. A point that ended its job gets a second chance on resume; after that it has
/// failed for good. One that was interrupted is still to be measured.
void end_job(store::Store& store, std::int64_t run, std::int64_t job, const Outcome& outcome);

/// Whether the process that watches a job is alive on this host.
bool is_watched(const store::JobRow& job);

/// Stores the journal of a job that nobody watches any more and ends the job: as done if the
/// probe said so, else for this reason. A journal that cannot be read ends the job too, once: its run has
/// failed, the Error is rethrown, and the run may be resumed without it.
Outcome take_over(store::Store& store, std::int64_t run, const store::JobRow& job, const std::string& reason,
                  CollectorEvents events = {});

/// Stores the state of a run after its last job: done, interrupted, or failed. True if it is complete.
bool close_run(store::Store& store, std::int64_t run, const plan::Plan& plan, const Outcome& outcome);

}  // namespace fathom::launch
