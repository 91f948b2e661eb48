#include "launch/runs.hpp"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>

#include "base/build_info.hpp"
#include "base/error.hpp"
#include "journal/journal.hpp"
#include "launch/ending.hpp"
#include "launch/job.hpp"
#include "launch/lease.hpp"
#include "plan/plan_toml.hpp"
#include "plan/setting_values.hpp"

namespace fathom::launch {

std::int64_t create_run(store::Store& store, const PlannedRun& planned, const std::string& command_line) {
    store::RunRow row;
    row.label = planned.plan.label;
    row.tags = plan::tag_map(planned.plan.tags);
    row.plan_toml = plan::write_plan(planned.plan);
    row.procs = plan::most_procs(planned.plan);
    row.mpi_flavour = to_text(planned.plan.mpi);
    row.command_line = command_line;
    row.fathom_version = build_info().version;
    row.fathom_commit = build_info().commit;
    row.origin = planned.origin;
    row.in_turn_with = planned.in_turn_with;
    auto transaction = store.transaction();  // nobody sees it without its owner
    const auto run = store.create_run(row, planned.points);
    own_run(store, run);
    transaction.commit();
    return run;
}

void delete_run(store::Store& store, std::int64_t run) {
    refuse_in_progress(store, run);
    const auto held = store.lease(run);
    if (held && !machine::is_alive(held->process)) {
        throw BadInput(fmt::format(
            "run {0} was being measured on {1} and may still be; delete it there, or complete it with "
            "'fathom run --resume {0}' first.",
            run, held->process.host));
    }
    store.delete_run(run);
    std::error_code ignored;
    std::filesystem::remove(journal_of_run(store.path(), run), ignored);
}

plan::Plan plan_to_resume(const store::Store& store, const store::RunRow& run) {
    const auto points = store.points(run.id);
    for (const auto& point : points) {
        if (!point.damage.empty()) {
            throw BadInput(point.damage + "; a damaged run cannot be resumed.");
        }
    }
    // Later launches take their points from the first.
    if (std::none_of(points.begin(), points.end(), [](const auto& point) { return point.launch == 0; })) {
        throw BadInput(
            fmt::format("{}: run {} has no points of its first launch; a damaged run cannot be "
                        "resumed.",
                        store.path().string(), run.id));
    }
    plan::Plan plan;
    plan::read_stored_plan(plan, run.plan_toml, run.id);
    if (plan.thread_levels.empty() && plan.mpi != plan::Flavour::smpi) {
        plan.thread_levels = {plan::ThreadLevel::funneled};  // of all runs, before plans had a level
    }
    return plan;
}

PlannedRun planned_in(const std::filesystem::path& journal) {
    if (!std::filesystem::exists(journal)) {
        throw BadInput(fmt::format("no journal {}; the probe writes it beside its plan as PLAN.toml.journal.",
                                   journal.string()));
    }
    journal::Reader reader(journal);
    const auto first = reader.next();
    const auto* info = first ? std::get_if<journal::JobInfo>(&*first) : nullptr;
    if (info == nullptr) {
        throw BadInput(fmt::format("{} holds no results; did the probe start?", journal.string()));
    }
    PlannedRun planned;
    plan::read_plan(planned.plan, info->plan_toml, journal.string());
    if (planned.plan.procs.empty()) {
        planned.plan.procs = {fmt::format("{}", info->procs)};
    }
    planned.plan.mpi = from_text<plan::Flavour>(info->mpi_flavour);
    if (planned.plan.thread_levels.empty()) {
        planned.plan.thread_levels = {plan::ThreadLevel::single};  // a probe measures at no other then
        planned.plan.settled_thread_level = plan::ThreadLevel::single;
    }
    planned.points = plan::points_of(planned.plan, info->procs);
    return planned;
}

Outcome collect(store::Store& store, std::int64_t run, const std::filesystem::path& journal,
                CollectorEvents events) {
    store.create_job(run, "started by hand", std::filesystem::absolute(journal).string());
    return take_over(store, run, store.last_job(run).value(), "the probe did not finish", std::move(events));
}

}  // namespace fathom::launch
