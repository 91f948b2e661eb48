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
/// failed for good. One that was interrupted or cut off is still to be measured, however often.
void end_job(store::Store& store, std::int64_t run, std::int64_t job, const Outcome& outcome);

/// Stores the journal of a job that nobody watches any more and ends the job: as done if the
/// probe said so, as died if it gave up, else as cut off for this reason. What of the journal cannot be read
/// is dropped, and the outcome says so. If the store cannot be written, the job stays as it is, to be taken
/// over later.
Outcome take_over(store::Store& store, std::int64_t run, const store::JobRow& job, const std::string& reason,
                  CollectorEvents events = {});

/// Stores the state of a run after its last job: done, interrupted, or failed, and releases its lease. True
/// if it is complete.
bool close_run(store::Store& store, std::int64_t run, const plan::Plan& plan, const Outcome& outcome);

}  // namespace fathom::launch
