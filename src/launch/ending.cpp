#include "launch/ending.hpp"

#include <unistd.h>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/file.hpp"
#include "launch/open_work.hpp"
#include "machine/facts.hpp"

namespace fathom::launch {
namespace {

void mark_open_point(store::Store& store, std::int64_t run, const Outcome& outcome) {
    if (!outcome.open_point || outcome.kind == Outcome::Kind::done) {
        return;
    }
    const auto point = store.point(run, *outcome.open_point);
    if (outcome.kind == Outcome::Kind::interrupted) {
        store.mark_point(run, point.position, store::PointStatus::pending, "interrupted while being measured",
                         false);
    } else {
        const auto status = point.deaths > 0 ? store::PointStatus::failed : store::PointStatus::died;
        store.mark_point(run, point.position, status, outcome.reason, true);
    }
}

}  // namespace

void end_job(store::Store& store, std::int64_t run, std::int64_t job, const Outcome& outcome) {
    mark_open_point(store, run, outcome);
    if (!outcome.remark.empty()) {
        store.put_warning(run, {outcome.finalize_hung ? store::Severity::serious : store::Severity::note,
                                outcome.finalize_hung ? "finalize-hang" : "ending",
                                outcome.remark + " after all points were measured.",
                                "none is needed for these results; check the MPI library's MPI_Finalize"});
    }
    store.end_job(job, outcome.reason);
}

bool is_watched(const store::JobRow& job) {
    const auto name_of = [](const std::string& process) {
        return read_file_or_empty("/proc/" + process + "/comm");
    };
    // After a reboot the number may belong to anything: only another process of our name watches a job.
    const auto name = name_of(fmt::format("{}", job.supervisor_pid));
    return job.state == store::JobState::running && job.supervisor_host == machine::host_name() &&
           job.supervisor_pid != ::getpid() && !name.empty() && name == name_of("self");
}

Outcome take_over(store::Store& store, std::int64_t run, const store::JobRow& job, const std::string& reason,
                  CollectorEvents events) {
    const auto points = store.points(run);
    Collector collector(store, run, points.empty() ? 0 : points.back().launch, job.id, job.journal,
                        std::move(events));
    try {
        collector.advance();
    } catch (const Error& error) {
        store.end_job(job.id, error.what());
        store.set_run_status(run, store::RunStatus::failed, error.what());
        throw;
    }
    Outcome outcome;
    if (!collector.complete()) {
        outcome = {.kind = Outcome::Kind::died, .reason = reason, .open_point = collector.open_point()};
    }
    end_job(store, run, job.id, outcome);
    return outcome;
}

bool close_run(store::Store& store, std::int64_t run, const plan::Plan& plan, const Outcome& outcome) {
    const bool whole = complete(store, run, plan);
    const bool interrupted = outcome.kind == Outcome::Kind::interrupted;
    store.set_run_status(run,
                         whole         ? store::RunStatus::done
                         : interrupted ? store::RunStatus::interrupted
                                       : store::RunStatus::failed,
                         whole ? "" : outcome.reason);
    return whole;
}

}  // namespace fathom::launch
