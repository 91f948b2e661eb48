#include "launch/against.hpp"

#include <array>
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "launch/measured_run.hpp"

namespace fathom::launch {
namespace {

using ::testing::ElementsAre;
using testing::FakeJob;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

/// Two runs of bcast with 8, 16 and 32 bytes; the second asks its library for something.
class InTurn : public testing::MeasuredRunTest {
  protected:
    InTurn() {
        plan_run(three_sizes());
        contenders.push_back({.job = resolved, .run = run});
        plan_run(three_sizes());
        resolved.variables = {{"OMPI_MCA_coll", "basic"}};
        resolved.removed_variables = {"OMPI_MCA_btl"};
        contenders.push_back({.job = resolved, .run = run});
    }

    Turns turns() {
        return {store, contenders, silent,
                [this](const auto& command, auto& follower) { return probe.run(command, follower); }};
    }

    /// `A 8 16 32`: what each job measured, and for which of them.
    [[nodiscard]] std::vector<std::string> jobs() const {
        std::vector<std::string> found;
        for (std::size_t i = 0; i < probe.jobs.size(); ++i) {
            found.emplace_back(probe.commands[i].environment.empty() ? "A" : "B");
            for (const auto size : sizes_of_job(i)) {
                found.back() += fmt::format(" {}", size);
            }
        }
        return found;
    }

    static plan::PointKey key_of(std::int64_t size) { return testing::point_spec(0, "bcast", size).key; }

    std::vector<Contender> contenders;
};

TEST_F(InTurn, LaunchesAlternateAndSoDoesWhoIsFirst) {
    auto alternating = turns();
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(alternating.launch().kind, Outcome::Kind::done);
    }
    EXPECT_EQ(alternating.launches(), 3);
    EXPECT_THAT(jobs(),
                ElementsAre("A 8 16 32", "B 8 16 32", "B 8 16 32", "A 8 16 32", "A 8 16 32", "B 8 16 32"));
    EXPECT_THAT(probe.commands[1].environment, ElementsAre(std::pair("OMPI_MCA_coll", "basic")));
    EXPECT_THAT(probe.commands[1].removed, ElementsAre("OMPI_MCA_btl"));
    EXPECT_THAT(probe.commands[0].removed, IsEmpty());
    alternating.close({});
    EXPECT_EQ(store.find_run("1").status, store::RunStatus::done);
    EXPECT_EQ(store.find_run("2").status, store::RunStatus::done);
    EXPECT_EQ(states().size(), 9U);
}

TEST_F(InTurn, OnlyPointsThatAreWorthItAreMeasuredAgain) {
    auto alternating = turns();
    alternating.launch();
    alternating.launch(std::vector<WorthMeasuring>{{key_of(16)}, {key_of(16), key_of(32)}});
    alternating.launch(std::vector<WorthMeasuring>{{}, {key_of(32)}});
    EXPECT_THAT(jobs(), ElementsAre("A 8 16 32", "B 8 16 32", "B 16 32", "A 16", "B 32"));
    EXPECT_THAT(states(), ElementsAre("0: 8 ok", "0: 16 ok", "0: 32 ok", "1: 16 ok", "1: 32 ok", "2: 32 ok"));
    alternating.close({});
    EXPECT_EQ(store.find_run("1").status, store::RunStatus::done);
}

TEST_F(InTurn, OneThatIsWithdrawnIsLaunchedNoMore) {
    auto alternating = turns();
    alternating.launch();
    alternating.withdraw(0);
    alternating.launch();
    EXPECT_THAT(jobs(), ElementsAre("A 8 16 32", "B 8 16 32", "B 8 16 32"));
    EXPECT_EQ(store.find_run("1").status, store::RunStatus::done);
}

TEST_F(InTurn, ALaunchThatDiesEndsThem) {
    auto alternating = turns();
    probe.will({{}, {.end = FakeJob::End::dies, .measures = 1}});
    const auto end = measure_in_turn(
        alternating, {}, [] { return std::vector<WorthMeasuring>(2); }, [] { return 0ns; });
    EXPECT_EQ(end.outcome.kind, Outcome::Kind::died);
    EXPECT_EQ(end.kind, TurnsEndKind::failed);
    EXPECT_EQ(probe.jobs.size(), 2U);
    alternating.close(end.outcome);
    EXPECT_EQ(store.find_run("2").status, store::RunStatus::failed);
}

TEST_F(InTurn, GoOnUntilEverythingIsDecided) {
    auto alternating = turns();
    int looks = 0;
    const auto end = measure_in_turn(
        alternating, {.first_look = 2},
        [&] {
            ++looks;
            EXPECT_EQ(alternating.launches(), looks == 1 ? 2 : 3) << "after one and a half times as many";
            const WorthMeasuring left = looks == 1 ? WorthMeasuring{key_of(16)} : WorthMeasuring{};
            return std::vector{left, left};
        },
        [] { return 0ns; });
    EXPECT_EQ(end.kind, TurnsEndKind::decided);
    EXPECT_EQ(looks, 2);
    const auto all = jobs();
    EXPECT_THAT(std::vector(all.begin() + 4, all.end()), ElementsAre("A 16", "B 16"));
}

TEST_F(InTurn, EndWithTheLastVerdictThatMayBeTaken) {
    auto patient = turns();
    const auto end = measure_in_turn(
        patient, {.first_look = 1, .looks = 3},
        [&] {
            return std::vector<WorthMeasuring>{{key_of(8)}, {key_of(8)}};
        },
        [] { return 0ns; });
    EXPECT_EQ(end.kind, TurnsEndKind::out_of_looks);
    EXPECT_EQ(patient.launches(), 3) << "after 1, 2 and 3";
}

TEST(TurnLimits, AreTwoMinutesUnlessTheCommandLineSaysMore) {
    EXPECT_EQ(turn_limits({}, false).budget, 2min);
    EXPECT_EQ(turn_limits(0.5, false).budget, 500ms);
    EXPECT_EQ(turn_limits({}, true).looks, 1) << "simulated launches are all alike";
    EXPECT_DOUBLE_EQ(launch_allowance_s(turn_limits({}, false)), 10) << "a twelfth";
}

TEST_F(InTurn, DoNotTakeOverWhatTheStoredRunWasGiven) {
    auto plan = three_sizes();
    plan.label = "baseline";
    plan.runs = 7;
    plan.budget_s = 15;
    plan_run(plan);
    const auto again = plan_in_turn(store.find_run("last"));
    EXPECT_EQ(again.budget_s, std::nullopt);
    EXPECT_EQ(again.runs, std::nullopt);
    EXPECT_EQ(again.label, "");
    EXPECT_EQ(again.sizes, plan.sizes);
}

TEST_F(InTurn, MakeNoLaunchLongerThanItMayBe) {
    contenders[0].job.launch_allowance_s = 10;
    turns().launch();
    EXPECT_GT(probe.jobs[0].allowance_s, 0);
    EXPECT_LE(probe.jobs[0].allowance_s, 10);
    EXPECT_EQ(probe.jobs[1].allowance_s, 0) << "no limit";
}

TEST(NextLook, IsAfterHalfAsManyLaunchesMore) {
    std::vector<int> looks{TurnLimits().first_look};
    while (static_cast<int>(looks.size()) < TurnLimits().looks) {
        looks.push_back(next_look(looks.back()));
    }
    EXPECT_THAT(looks, ElementsAre(5, 8, 12, 18, 27, 41, 62, 93));
}

/// Launches of both runs that take 10 s together, 4 s for one point alone.
class Hurried : public InTurn {
  protected:
    TurnsEnd measure(const TurnLimits& limits, int decided_after = 1'000) {
        auto hurried = turns();
        looks_at.clear();
        const auto end = measure_in_turn(
            hurried, limits,
            [&] {
                looks_at.push_back(hurried.launches());
                const bool decided = hurried.launches() >= decided_after;
                const WorthMeasuring left = decided ? WorthMeasuring{} : WorthMeasuring{key_of(8)};
                return std::vector{left, left};
            },
            [&] {
                const int whole = looks_at.empty() ? hurried.launches() : looks_at.front();
                return std::chrono::nanoseconds(10s) * whole +
                       std::chrono::nanoseconds(4s) * (hurried.launches() - whole);
            });
        launches = hurried.launches();
        return end;
    }

    std::vector<int> looks_at;
    int launches = 0;
};

TEST_F(Hurried, BeginNoLaunchesThatWouldNotEndWithinTheLimit) {
    // Two of 10 s, and then of 4 s; of the second of these it is known how long the first one took.
    const auto end = measure({.first_look = 2, .looks = 8, .budget = 37s});
    EXPECT_EQ(end.kind, TurnsEndKind::out_of_time);
    EXPECT_EQ(launches, 6);
    EXPECT_EQ(end.took, 36s);
    EXPECT_THAT(looks_at, ElementsAre(2, 3, 5, 6)) << "what was measured last takes part in the verdict";
}

TEST_F(Hurried, MayBeDecidedByTheLastLaunchesWithinTheLimit) {
    const auto end = measure({.first_look = 2, .looks = 8, .budget = 37s}, 6);
    EXPECT_EQ(end.kind, TurnsEndKind::decided);
    EXPECT_EQ(end.took, 36s);
}

TEST_F(Hurried, KeepToTheLimitBeforeTheFirstVerdictToo) {
    const auto end = measure({.first_look = 5, .looks = 8, .budget = 25s});
    EXPECT_EQ(end.kind, TurnsEndKind::out_of_time);
    EXPECT_THAT(looks_at, ElementsAre(2));
}

TEST_F(Hurried, AlwaysMakeOneLaunchOfEach) {
    const auto end = measure({.first_look = 5, .looks = 8, .budget = 1s});
    EXPECT_EQ(end.kind, TurnsEndKind::out_of_time);
    EXPECT_EQ(launches, 1);
}

TEST_F(InTurn, CountLaunchesThatWereMadeBefore) {
    auto begun = turns();
    begun.launch();
    const auto end = measure_in_turn(
        begun, {.first_look = 2, .looks = 1, .budget = 30s}, [] { return std::vector<WorthMeasuring>(2); },
        [&] { return std::chrono::nanoseconds(10s) * (begun.launches() + 3); }, 30s);
    EXPECT_EQ(end.kind, TurnsEndKind::decided);
    EXPECT_EQ(begun.launches(), 2);
    EXPECT_EQ(end.took, 20s) << "from the first on";
}

TEST(WorthMeasuringOf, AComparisonArePointsThatMoreLaunchesMayDecide) {
    analysis::Comparison comparison;
    const auto add = [&](std::int64_t size, analysis::Change verdict, std::optional<analysis::Doubt> doubt) {
        analysis::ComparedPoint point;
        point.key = testing::point_spec(0, "bcast", size).key;
        point.second_procs = 8;
        point.verdict = verdict;
        point.doubt = doubt;
        comparison.points.push_back(point);
    };
    add(8, analysis::Change::same, {});
    add(16, analysis::Change::undecided, analysis::Doubt::disturbed);
    add(32, analysis::Change::undecided, analysis::Doubt::no_time);
    add(64, analysis::Change::slower, analysis::Doubt::near_limit);
    const auto worth = worth_measuring(comparison);
    ASSERT_EQ(worth.size(), 2U);
    EXPECT_THAT(worth[0], ElementsAre(comparison.points[1].key, comparison.points[3].key));
    EXPECT_EQ(worth[1].begin()->procs, 8) << "as the second run has it";
}

TEST(Variables, OfABaselineReplaceThoseOfThisEnvironment) {
    constexpr const char* other = "OMPI_MCA_coll_tuned_allreduce_algorithm";
    constexpr const char* same = "OMPI_MCA_coll";
    ::setenv(other, "1", 1);
    ::setenv(same, "tuned", 1);
    ResolvedJob job;
    put_variables(job, {{"", {{"env.OMPI_MCA_coll", "basic"}, {"env.OMPI_MCA_orte_hnp_uri", "17.0"}}}});
    ::unsetenv(other);
    ::unsetenv(same);
    EXPECT_THAT(job.variables, ElementsAre(std::pair("OMPI_MCA_coll", "basic")))
        << "a launcher sets its own anew";
    EXPECT_THAT(job.removed_variables, ::testing::Contains(other));
    EXPECT_THAT(job.removed_variables, ::testing::Not(::testing::Contains(same))) << "it is replaced";
}

TEST(Variables, ThatTheUserGaveAreNotThoseOfLaunchersLibrariesOrPlans) {
    plan::Plan plan;
    plan.mpi = plan::Flavour::openmpi;
    const store::EnvironmentRows environment{{"",
                                              {{"env.OMPI_MCA_coll", "basic"},
                                               {"env.OMPI_MCA_orte_hnp_uri", "17.0"},
                                               {"env.OMPI_MCA_coll_tuned_use_dynamic_rules", "1"},
                                               {"env.PSM2_DEVICES", "self,shm"}}}};
    using Pair = std::pair<const std::string, std::string>;
    EXPECT_THAT(
        given_variables(environment, plan),
        ElementsAre(Pair("OMPI_MCA_coll", "basic"), Pair("OMPI_MCA_coll_tuned_use_dynamic_rules", "1")));
    plan.via = {"library:binomial"};
    EXPECT_THAT(given_variables(environment, plan), ElementsAre(Pair("OMPI_MCA_coll", "basic")));
    constexpr std::array<const char*, 6> shell{"HOME=/root", "UCX_TLS=tcp,self",
                                               "FI_EMPTY=",  "OMPI_MCA_ess=^slurm",
                                               "UCX_NAME",   "PSM2_DEVICES=self,hfi"};
    EXPECT_THAT(steering_variables(shell), ElementsAre(Pair("FI_EMPTY", ""), Pair("PSM2_DEVICES", "self,hfi"),
                                                       Pair("UCX_NAME", ""), Pair("UCX_TLS", "tcp,self")));
}

TEST(Variables, ThatAShellLacksPrecedeTheCommand) {
    EXPECT_THAT(words_to_steer({}, {{"UCX_TLS", "tcp"}, {"UCX_LOG", "a b"}}),
                ElementsAre("env", "UCX_LOG=a b", "UCX_TLS=tcp"));
    EXPECT_THAT(words_to_steer({{"UCX_TLS", "tcp"}}, {{"UCX_TLS", "tcp"}}), ::testing::IsEmpty());
    EXPECT_THAT(words_to_steer({{"UCX_TLS", "tcp"}, {"FI_LOG", ""}}, {{"UCX_TLS", "self"}}),
                ElementsAre("env", "-u", "FI_LOG", "UCX_TLS=self"));
}

TEST(NotHadAgain, AreOtherLibrariesAndHosts) {
    analysis::MeasuredRun stored;
    stored.result.run.mpi_version = "Open MPI v4.1.4";
    stored.result.run.fathom_version = "0.1";
    stored.hosts = {{"h1", 2}};
    auto again = stored;
    again.result.run.fathom_version = "0.2";
    EXPECT_THAT(not_had_again(stored, again), IsEmpty()) << "this fathom measures both";
    again.result.run.mpi_version = "Open MPI v5.0.1";
    again.hosts = {{"h2", 2}};
    const auto found = not_had_again(stored, again);
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].kind, analysis::DifferenceKind::library);
    EXPECT_EQ(found[1].kind, analysis::DifferenceKind::hosts);
}

}  // namespace
}  // namespace fathom::launch
