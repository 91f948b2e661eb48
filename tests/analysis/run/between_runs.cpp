#include "analysis/run/between_runs.hpp"

#include <cmath>
#include <utility>

#include <gtest/gtest.h>

#include "analysis/run/run_kind.hpp"
#include "analysis/run/run_result.hpp"
#include "analysis/stored_runs.hpp"

namespace fathom::analysis {
namespace {

using testing::StoredLaunch;
using testing::StoredRuns;
using testing::times_around;

/// Two points of a run, three launches each, that are so much of the usual time.
std::vector<std::vector<StoredLaunch>> launches_at(double share) {
    std::vector<std::vector<StoredLaunch>> points;
    for (const double time_ns : {10'000.0, 20'000.0}) {
        std::vector<StoredLaunch> launches;
        for (const double other : {0.999, 1.0, 1.001}) {
            launches.push_back({.times_ns = times_around(std::llround(time_ns * share * other))});
        }
        points.push_back(std::move(launches));
    }
    return points;
}

class StoredBefore : public ::testing::Test {
  protected:
    [[nodiscard]] BetweenRuns term_of(std::int64_t run) const {
        return evaluate(runs.store, runs.row(run)).between_runs;
    }
    [[nodiscard]] double width_of(std::int64_t run) const {
        const auto point = evaluate(runs.store, runs.row(run)).points.front();
        return (point.value_ns->ci95->high - point.value_ns->ci95->low) / point.value_ns->value;
    }

    /// Two runs at these shares of the usual time, whose launches take turns.
    std::pair<std::int64_t, std::int64_t> add_in_turn(double first_share, double second_share) {
        const auto first = runs.open(2);
        const auto second = runs.open(2);
        const auto of_first = launches_at(first_share);
        const auto of_second = launches_at(second_share);
        auto transaction = runs.store.transaction();
        for (int launch = 0; launch < 3; ++launch) {
            const auto place = static_cast<std::size_t>(launch);
            for (const bool newer : {launch % 2 != 0, launch % 2 == 0}) {
                const auto& launches = newer ? of_second : of_first;
                runs.launch(newer ? second : first, launch, {launches[0][place], launches[1][place]});
            }
        }
        runs.store.set_run_status(first, store::RunStatus::done);
        runs.store.set_run_status(second, store::RunStatus::done);
        transaction.commit();
        return {first, second};
    }

    StoredRuns runs;
};

TEST_F(StoredBefore, TeachWhatIsBetweenRunsFromTheSecondOn) {
    std::vector<std::int64_t> made;
    for (const double share : {1.0, 1.004, 0.998, 1.003, 0.999, 1.002}) {
        made.push_back(runs.add(launches_at(share)));
    }
    for (const auto place : {std::size_t{0}, std::size_t{1}}) {
        EXPECT_EQ(term_of(made[place]).source, BetweenRunsSource::assumed) << place;
        EXPECT_DOUBLE_EQ(term_of(made[place]).percent(), 2) << place;
        EXPECT_NEAR(width_of(made[place]), 2 * 1.96 * 0.02, 0.01) << place;
    }
    const auto third = term_of(made[2]);
    EXPECT_EQ(third.source, BetweenRunsSource::learned);
    EXPECT_EQ(third.runs, 2U) << "not of itself";
    const auto last = term_of(made[5]);
    EXPECT_EQ(last.runs, 5U);
    EXPECT_LT(last.percent(), 0.6);
    EXPECT_LT(width_of(made[5]), 0.03);
    EXPECT_EQ(last.points.size(), 2U);
}

TEST_F(StoredBefore, CountOnlyIfTheyAreOfTheSameKind) {
    for (const double share : {1.0, 1.004}) {
        runs.add(launches_at(share), "precision_percent = 1.0\n");
        runs.add(launches_at(share), "", "MPICH 4.0.2");
        runs.origin = store::RunOrigin::search;
        runs.add(launches_at(share));
        runs.origin = store::RunOrigin::user;
        runs.store.set_run_status(runs.add(launches_at(share)), store::RunStatus::failed);
    }
    EXPECT_EQ(term_of(runs.add(launches_at(1))).source, BetweenRunsSource::assumed);
    runs.add(launches_at(1.004),
             "label = 'another'\nseed = 7\ntags = ['a=b']\nbetween_runs_percent = 0.0\nruns = 4\n");
    EXPECT_EQ(term_of(runs.add(launches_at(1.002))).runs, 2U)
        << "neither label, tags, seed nor the number of launches matter";
}

TEST_F(StoredBefore, CountOnlyIfTheyHaveSeveralLaunches) {
    runs.add(launches_at(1));
    runs.add(launches_at(1.004));
    auto once = launches_at(1.3);
    for (auto& launches : once) {
        launches.resize(1);
    }
    for (int i = 0; i < 10; ++i) {
        runs.add(once, "runs = 1\n");
    }
    EXPECT_EQ(term_of(runs.add(launches_at(1.002))).runs, 2U) << "others do not take their places";
    EXPECT_EQ(term_of(runs.add(once, "runs = 1\n")).runs, 3U) << "but learn from them";
}

TEST_F(StoredBefore, CountOnlyIfTheyHaveAValue) {
    std::vector<std::vector<StoredLaunch>> failed(2, std::vector<StoredLaunch>(3, {.failed = true}));
    runs.add(launches_at(1));
    runs.add(failed);
    EXPECT_EQ(term_of(runs.add(launches_at(1.004))).source, BetweenRunsSource::assumed) << "one has";
    const auto term = term_of(runs.add(launches_at(1.002)));
    EXPECT_EQ(term.source, BetweenRunsSource::learned) << "the step leads past the run without one";
    EXPECT_EQ(term.runs, 2U);
}

TEST_F(StoredBefore, AreOverruledByWhatIsGiven) {
    for (const double share : {1.0, 1.004, 0.998}) {
        runs.add(launches_at(share));
    }
    const auto term = term_of(runs.add(launches_at(1), "between_runs_percent = 1.5\n"));
    EXPECT_EQ(term.source, BetweenRunsSource::given);
    EXPECT_DOUBLE_EQ(term.percent(), 1.5);
    const auto none = runs.add(launches_at(1), "between_runs_percent = 0.0\n");
    const auto point = evaluate(runs.store, runs.row(none)).points.front();
    EXPECT_EQ(point.value_ns->ci95->low, point.launches->median_ci95.low);
}

TEST_F(StoredBefore, AreNotOverruledByTheDefaultOfEarlierVersions) {
    for (const double share : {1.0, 1.004, 0.998}) {
        runs.add(launches_at(share));
    }
    EXPECT_EQ(term_of(runs.add(launches_at(1), "between_runs_percent = 2.0\n")).source,
              BetweenRunsSource::learned)
        << "every plan had it";
    EXPECT_EQ(
        term_of(runs.add(launches_at(1), "between_runs_percent = 2.0\nthread_level = ['single']\n")).source,
        BetweenRunsSource::given);
}

TEST_F(StoredBefore, SayTheSameOfASelection) {
    for (const double share : {1.0, 1.004, 0.998}) {
        runs.add(launches_at(share));
    }
    const auto run = runs.row(runs.add(launches_at(1)));
    const auto all = evaluate(runs.store, run);
    const auto one =
        evaluate(runs.store, run, {}, {.select = [](const auto& key) { return key.size.count == 16; }});
    ASSERT_EQ(one.points.size(), 1U);
    EXPECT_DOUBLE_EQ(one.points[0].value_ns->ci95->high, all.points[1].value_ns->ci95->high);
}

TEST_F(StoredBefore, CountOnceIfTheyTookTurns) {
    runs.add(launches_at(1));
    const auto [first, second] = add_in_turn(1, 1);
    EXPECT_TRUE(took_turns({.launch_jobs = launch_jobs_of(runs.store, first)},
                           {.launch_jobs = launch_jobs_of(runs.store, second)}));
    EXPECT_EQ(term_of(second).source, BetweenRunsSource::assumed) << "its twin is no earlier run";
    EXPECT_EQ(term_of(runs.add(launches_at(1.002))).runs, 2U);
}

TEST_F(StoredBefore, CountByTheOlderOfTwoThatTookTurnsAlsoAsTheTenth) {
    add_in_turn(1, 1.3);
    for (int i = 0; i < 9; ++i) {
        runs.add(launches_at(i % 2 == 0 ? 1.002 : 0.998));
    }
    const auto term = term_of(runs.add(launches_at(1)));
    EXPECT_EQ(term.runs, 10U);
    EXPECT_EQ(term.changes, 0U) << "the newer of the two is 30 % slower";
}

TEST_F(StoredBefore, CountEachIfOneWasOnlyInterruptedByTheOther) {
    runs.in_turn_with = 0;
    runs.add(launches_at(1));
    add_in_turn(1, 1);  // as if it were one after the other, twice resumed
    EXPECT_EQ(term_of(runs.add(launches_at(1.002))).runs, 3U);
}

/// Runs 1 and 2, of which neither says what it was measured with.
bool took_turns_by_launches(const std::vector<std::int64_t>& first, const std::vector<std::int64_t>& second) {
    return took_turns({.run = 1, .launch_jobs = first}, {.run = 2, .launch_jobs = second});
}

TEST(TookTurns, IsNotSoOfRunsOneAfterTheOther) {
    EXPECT_TRUE(took_turns_by_launches({1, 4, 5}, {2, 3, 6}));
    EXPECT_TRUE(took_turns_by_launches({1, 4, 5, 8}, {2, 3, 6, 7}));
    EXPECT_TRUE(took_turns_by_launches({1, 4}, {2, 3}));
    EXPECT_FALSE(took_turns_by_launches({1, 2}, {3, 4}));
    EXPECT_FALSE(took_turns_by_launches({1, 2, 3, 7}, {4, 5, 6})) << "one launch was made up for later";
    EXPECT_FALSE(took_turns_by_launches({1}, {2})) << "one launch of each has no turns";
    EXPECT_FALSE(took_turns_by_launches({}, {1, 2}));
}

TEST(TookTurns, IsSoOnlyOfRunsThatOneCommandMadeWhereThatIsRecorded) {
    const Turns first{.run = 1, .in_turn_with = 0, .launch_jobs = {1, 4}};
    const Turns partner{.run = 2, .in_turn_with = 1, .launch_jobs = {2, 3}};
    EXPECT_TRUE(took_turns(first, partner));
    EXPECT_TRUE(took_turns(partner, first));
    auto another = partner;
    another.in_turn_with = 0;
    EXPECT_FALSE(took_turns(first, another)) << "it was measured while the first was not complete";
    another.in_turn_with.reset();
    EXPECT_FALSE(took_turns(first, another)) << "one of an earlier fathom";
    another = partner;
    another.launch_jobs = {5, 6};
    EXPECT_FALSE(took_turns(first, another)) << "it went on alone";
}

}  // namespace
}  // namespace fathom::analysis
