#pragma once

#include <chrono>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "launch/ending.hpp"
#include "launch/fake_probe.hpp"
#include "launch/open_work.hpp"

namespace fathom::testing {

/// A run in a folder of its own whose jobs are made by a FakeProbe.
class MeasuredRunTest : public ::testing::Test {
  protected:
    /// bcast of 8, 16 and 32 bytes in this order, started once.
    static plan::Plan three_sizes() {
        plan::Plan plan;
        plan.operations = {"bcast"};
        plan.procs = {"2"};
        plan.sizes = {"8", "16", "32"};
        plan.order = plan::Order::planned;
        plan.mpi = plan::Flavour::openmpi;
        plan.launcher = "launch -n {n}";
        return plan;
    }
    /// The same with sizes between 8 and 32 that are added while measuring.
    static plan::Plan refined_sizes() {
        auto plan = three_sizes();
        plan.sizes = {"8:32:auto"};
        return plan;
    }

    void plan_run(const plan::Plan& plan) { plan_run(plan, plan::points_of(plan, 2)); }
    void plan_run(const plan::Plan& plan, const std::vector<plan::PointSpec>& points) {
        resolved.plan = plan;
        resolved.procs = 2;
        store::RunRow row;
        row.plan_toml = plan::write_plan(plan);
        row.procs = 2;
        row.mpi_flavour = to_text(plan.mpi);
        run = store.create_run(row, points);
    }

    launch::Outcome measure() { return measurement().measure(); }
    std::optional<launch::Outcome> resume() { return measurement().resume(); }
    [[nodiscard]] launch::Measurement measurement() {
        return {store,
                resolved,
                run,
                *observer,
                [this](const auto& command, auto& follower) {
                    now += job_takes;
                    return probe.run(command, follower);
                },
                [this] { return now; }};
    }

    /// `0: 8 ok`: the launch, the size and the status of every point, by position.
    [[nodiscard]] std::vector<std::string> states() const {
        std::vector<std::string> found;
        for (const auto& point : store.points(run)) {
            found.push_back(
                fmt::format("{}: {} {}", point.launch, point.key.size.count, to_text(point.status)));
        }
        return found;
    }
    /// The sizes that a job was to measure, in order.
    [[nodiscard]] std::vector<std::int64_t> sizes_of_job(std::size_t job) const {
        std::vector<std::int64_t> sizes;
        for (const auto& point : probe.jobs.at(job).points) {
            sizes.push_back(point.key.size.count);
        }
        return sizes;
    }
    [[nodiscard]] std::string status() const { return std::string(to_text(store.find_run("last").status)); }
    [[nodiscard]] bool complete() const { return launch::complete(store, run, resolved.plan); }
    [[nodiscard]] store::JobRow last_job() const { return store.last_job(run).value(); }
    /// What lies beside the result file, or in a folder of its own for a job.
    [[nodiscard]] std::size_t files_beside_the_store() const {
        std::size_t count = 0;
        for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
            count += entry.path().filename().string().starts_with("fathom.db.") ? 1U : 0U;
        }
        return count;
    }
    /// As fathom leaves it behind when it is killed: a job without an outcome, and its journal.
    std::filesystem::path leave_job(const std::vector<journal::Record>& records) {
        const auto path = launch::journal_of_run(store.path(), run);
        write_journal(path, records);
        store.create_job(run, "mpirun", path.string());
        return path;
    }

    std::chrono::duration<double> now{0};
    std::chrono::duration<double> job_takes{0};  ///< before its first point
    TempFolder folder;
    store::Store store = store::Store::open_or_create(folder / "fathom.db");
    launch::ResolvedJob resolved;
    std::int64_t run = 0;
    FakeProbe probe;
    launch::MeasurementObserver silent;
    launch::MeasurementObserver* observer = &silent;
};

}  // namespace fathom::testing
