#include "launch/runs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/build_info.hpp"
#include "base/file.hpp"
#include "launch/job.hpp"
#include "launch/measured_run.hpp"

namespace fathom::launch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::joined;
using testing::measured;
using testing::opening;
using ::testing::Pair;
using testing::refusal_of;

class Runs : public testing::MeasuredRunTest {
  protected:
    /// A journal as a probe writes it for a plan of its own.
    std::filesystem::path journal_of(const plan::Plan& plan, const std::vector<journal::Record>& more) {
        auto records = opening();
        std::get<journal::JobInfo>(records.front()).plan_toml = plan::write_plan(plan);
        const auto path = folder / "plan.toml.journal";
        testing::write_journal(path, joined({records, more}));
        return path;
    }
};

TEST_F(Runs, RememberWhatTheyWereAskedForWith) {
    auto plan = three_sizes();
    plan.label = "night";
    plan.tags = {"switch=new", "rev=a=b"};
    run = create_run(store, {.plan = plan, .points = plan::points_of(plan, 2), .in_turn_with = 3},
                     "fathom run bcast");
    const auto row = store.find_run("night");
    EXPECT_EQ(row.in_turn_with, 3);
    EXPECT_EQ(row.id, run);
    EXPECT_EQ(row.command_line, "fathom run bcast");
    EXPECT_THAT(row.tags, ElementsAre(Pair("rev", "a=b"), Pair("switch", "new")));
    EXPECT_EQ(row.procs, 2);
    EXPECT_EQ(row.mpi_flavour, "openmpi");
    EXPECT_EQ(row.fathom_version, build_info().version);
    EXPECT_THAT(states(), ElementsAre("0: 8 pending", "0: 16 pending", "0: 32 pending"));
}

TEST_F(Runs, GoOnByTheirOwnPlan) {
    auto plan = three_sizes();
    plan.thread_levels = {plan::ThreadLevel::single};
    plan_run(plan);
    EXPECT_EQ(plan::write_plan(plan_to_resume(store, store.find_run("last"))), plan::write_plan(plan));
}

TEST_F(Runs, FromBeforeThereWasAThreadLevelGoOnAtTheirs) {
    plan_run(three_sizes());
    EXPECT_THAT(plan_to_resume(store, store.find_run("last")).thread_levels,
                ElementsAre(plan::ThreadLevel::funneled));
    auto simulated = three_sizes();
    simulated.mpi = plan::Flavour::smpi;
    plan_run(simulated);
    EXPECT_THAT(plan_to_resume(store, store.find_run("last")).thread_levels, ElementsAre());
}

TEST_F(Runs, AreDeletedWithTheJournalOfAKilledJobButNotWithAnother) {
    plan_run(three_sizes());
    const auto own = journal_of_run(store.path(), run);
    const auto other = folder / "plan.toml.journal";
    for (const auto& path : {own, other}) {
        write_file(path, "x");
    }
    store.create_job(run, "mpirun", other.string());
    delete_run(store, run);
    EXPECT_TRUE(store.runs().empty());
    EXPECT_FALSE(std::filesystem::exists(own));
    EXPECT_TRUE(std::filesystem::exists(other));
}

TEST_F(Runs, OfAnotherHostThatMayGoOnAreNotDeleted) {
    plan_run(three_sizes());
    auto process = machine::this_process();
    process.host = "elsewhere";
    process.boot_id = "another";
    store.take_lease(run, {.owner = "other", .process = process, .taken_utc = {}, .heartbeat = 0});
    EXPECT_THAT(refusal_of([&] { delete_run(store, run); }), HasSubstr("on elsewhere and may still be"));
    EXPECT_EQ(store.runs().size(), 1U);
}

TEST_F(Runs, AreOwnedByWhoMakesThem) {
    const auto plan = three_sizes();
    run = create_run(store, {plan, plan::points_of(plan, 2)}, "fathom run bcast");
    EXPECT_EQ(store.lease(run)->process, machine::this_process());
    EXPECT_THROW(delete_run(store, run), BadInput) << "it is being measured";
    close_run(store, run, plan, {});
    EXPECT_FALSE(store.lease(run));
    delete_run(store, run);
}

TEST_F(Runs, OfAProbeStartedByHandComeFromItsJournal) {
    auto plan = three_sizes();
    plan.procs = {};
    plan.mpi.reset();
    const auto journal =
        journal_of(plan, joined({measured(0), measured(1), measured(2), {journal::JobEnd{}}}));
    const auto planned = planned_in(journal);
    EXPECT_EQ(planned.plan.procs, std::vector<std::string>{"2"}) << "as many as the launcher started";
    EXPECT_EQ(planned.plan.mpi, plan::Flavour::openmpi);
    run = create_run(store, planned, "fathom run --collect");
    EXPECT_EQ(collect(store, run, journal).kind, Outcome::Kind::done);
    EXPECT_THAT(states(), ElementsAre("0: 8 ok", "0: 16 ok", "0: 32 ok"));
    EXPECT_TRUE(std::filesystem::exists(journal)) << "it belongs to the user";
}

TEST_F(Runs, OfAProbeThatDiedHaveWhatIsInItsJournal) {
    const auto journal = journal_of(three_sizes(), joined({measured(0), {journal::PointBegin{1}}}));
    run = create_run(store, planned_in(journal), "");
    const auto outcome = collect(store, run, journal);
    EXPECT_EQ(outcome.kind, Outcome::Kind::cut_off);
    EXPECT_EQ(outcome.reason, "the probe did not finish");
    EXPECT_THAT(states(), ElementsAre("0: 8 ok", "0: 16 pending", "0: 32 pending"));
}

TEST_F(Runs, CannotComeFromAJournalThatHoldsNothing) {
    EXPECT_THAT(refusal_of<BadInput>([&] { planned_in(folder / "absent"); }), HasSubstr("no journal "));
    const auto empty = folder / "empty.journal";
    testing::write_journal(empty, {});
    EXPECT_THAT(refusal_of<BadInput>([&] { planned_in(empty); }), HasSubstr("holds no results"));
}

}  // namespace
}  // namespace fathom::launch
