#include "launch/ending.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "launch/open_work.hpp"

namespace fathom::launch {
namespace {

void mark_open_point(store::Store& store, std::int64_t run, const Outcome& outcome) {
    if (!outcome.open_point || outcome.kind == Outcome::Kind::done) {
        return;
    }
    const auto point = store.point(run, *outcome.open_point);
    if (!outcome.blames_point()) {
        store.mark_point(
            run, point.position, store::PointStatus::pending,
            outcome.kind == Outcome::Kind::interrupted ? "interrupted while being measured" : outcome.reason,
            false);
    } else {
        const auto status = point.deaths > 0 ? store::PointStatus::failed : store::PointStatus::died;
        store.mark_point(run, point.position, status, outcome.reason, true);
    }
}

}  // namespace

void end_job(store::Store& store, std::int64_t run, std::int64_t job, const Outcome& outcome) {
    auto transaction = store.transaction();
    mark_open_point(store, run, outcome);
    if (!outcome.losses.empty()) {
        store.put_warning(run, {store::Severity::note, "journal-damaged",
                                fmt::format("{}; the rest is stored.", outcome.losses),
                                "points that were dropped are measured again by 'fathom run --resume'"});
    }
    if (!outcome.remark.empty()) {
        store.put_warning(run, {outcome.finalize_hung ? store::Severity::serious : store::Severity::note,
                                outcome.finalize_hung ? "finalize-hang" : "ending",
                                outcome.remark + " after all points were measured.",
                                "none is needed for these results; check the MPI library's MPI_Finalize"});
    }
    store.end_job(job, outcome.reason);
    transaction.commit();
}

Outcome take_over(store::Store& store, std::int64_t run, const store::JobRow& job, const std::string& reason,
                  CollectorEvents events) {
    const auto points = store.points(run);
    Collector collector(store, run, points.empty() ? 0 : points.back().launch, job.id, job.journal,
                        std::move(events));
    Outcome outcome;
    try {
        collector.finish();
        outcome.losses = collector.whole() ? "" : collector.losses();
    } catch (const BadInput& error) {  // not a journal, or not of this run
        outcome.losses = error.what();
    }
    if (!outcome.losses.empty()) {
        outcome.kind = Outcome::Kind::cut_off;
        outcome.reason = reason;
    } else if (!collector.complete()) {
        const bool gave_up = !collector.failure().empty();
        outcome.kind = gave_up ? Outcome::Kind::died : Outcome::Kind::cut_off;
        outcome.reason = gave_up ? collector.failure() : reason;
        outcome.open_point = collector.open_point();
        outcome.last_point = collector.last_point();
    }
    end_job(store, run, job.id, outcome);
    return outcome;
}

bool close_run(store::Store& store, std::int64_t run, const plan::Plan& plan, const Outcome& outcome) {
    auto transaction = store.transaction();
    const bool whole = complete(store, run, plan);
    const bool interrupted = outcome.kind == Outcome::Kind::interrupted;
    store.set_run_status(run,
                         whole         ? store::RunStatus::done
                         : interrupted ? store::RunStatus::interrupted
                                       : store::RunStatus::failed,
                         whole ? "" : outcome.reason);
    store.release_lease(run);
    transaction.commit();
    return whole;
}

}  // namespace fathom::launch
