#include "analysis/run/scheme_comparison.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/run/run_result.hpp"
#include "plan/operations.hpp"
#include "plan/schemes.hpp"
#include "stats/random.hpp"
#include "store/sample_store.hpp"

namespace fathom::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// What one call takes on every rank by each way of measuring, before what ranks and repetitions add.
using CallTimes = std::map<std::string, std::int64_t, std::less<>>;

const CallTimes true_times{
    {"fathom", 10'000},      {"as-mpibench", 10'700}, {"in-a-row", 4'500},          {"as-imb", 10'720},
    {"as-pmb", 4'910},       {"as-osu", 10'650},      {"as-mpptest", 5'000},        {"as-mpbench", 4'200},
    {"as-nbcbench", 10'250}, {"as-skampi", 12'000},   {"as-skampi-barrier", 11'000}};

/// What single repetitions add: median 40, mean 145, minimum 0, mean of the middle half 50.
const std::vector<std::int64_t> rep_adds{100, 0, 20, 850, 30, 10, 100, 50};
/// What ranks add: 400 at most, 200 in the mean, 100 on rank 0.
const std::vector<std::int64_t> rank_adds{100, 0, 400, 300};

/// A run that compared schemes at some points, each by all of them.
class ComparedRun {
  public:
    /// The index of `points` does not matter.
    explicit ComparedRun(
        const std::vector<plan::PointSpec>& points,
        const std::vector<std::string>& schemes = plan::compared_schemes(plan::find_operation("bcast")))
        : sample_(with_schemes(points, schemes), "compared", "compare_schemes = true\n", 4) {
        journal::JobInfo info;
        info.simulated = true;  // all ranks read one clock
        sample_.store.put(sample_.job, info);
    }

    /// Stores repetitions of a point by a scheme: `call_ns` on rank and repetition, with calls in a row where
    /// the scheme makes them. Ranks start `skew_ns` after each other, and are preempted during the first
    /// `disturbed` repetitions.
    template <typename CallTime>
    void measure(const store::PointRow& point, std::size_t ranks, std::size_t reps, std::int64_t skew_ns,
                 const CallTime& call_ns, PointStatus status = PointStatus::ok, std::size_t disturbed = 0) {
        const auto calls = plan::settings_of({}, point.key).in_a_row;
        std::vector<journal::SampleBlock> blocks;
        for (std::size_t rank = 0; rank < ranks; ++rank) {
            std::vector<journal::Sample> samples;
            for (std::size_t rep = 0; rep < reps; ++rep) {
                const auto start = 1'000'000 * static_cast<std::int64_t>(rep + 1) +
                                   skew_ns * static_cast<std::int64_t>(rank);
                samples.push_back(
                    {.start = {start}, .duration = {calls * call_ns(rank, rep)}, .valid = true});
            }
            blocks.push_back(testing::block_of(static_cast<int>(rank), 0, samples));
        }
        std::vector<journal::Disturbance> disturbances;
        if (disturbed > 0) {
            const auto until = 1'000'000 * static_cast<std::int64_t>(disturbed) + 500'000;
            disturbances.push_back(
                {.point = point.position, .rank = 0, .begin_ns = 1, .end_ns = until, .waited_ns = until});
        }
        journal::PointEnd end{
            .index = point.position, .status = status, .calls = calls, .pairs = pairs_of(point)};
        end.samples = testing::count_in(blocks);
        sample_.store.put_point(sample_.run, sample_.job, end, testing::source_of(blocks),
                                {.disturbances = disturbances});
    }

    /// All points by all schemes with exactly these times, `longer` times as long.
    void measure_all(const CallTimes& times, std::int64_t longer = 1) {
        for (const auto& point : store().points(sample_.run)) {
            measure_exactly(point, times, longer);
        }
    }
    void measure_exactly(const store::PointRow& point, const CallTimes& times, std::int64_t longer = 1) {
        const auto call = times.find(point.key.scheme);
        if (call != times.end()) {
            measure(point, rank_adds.size(), rep_adds.size(), 5, [&](std::size_t rank, std::size_t rep) {
                return longer * (call->second + rank_adds[rank] + rep_adds[rep]);
            });
        }
    }
    /// Ends all points by a scheme in another way, with samples that are not to be trusted.
    void fail(const std::string& scheme, PointStatus status = PointStatus::failed) {
        for (const auto& point : store().points(sample_.run)) {
            if (point.key.scheme == scheme) {
                measure(
                    point, 2, 8, 0, [](std::size_t, std::size_t) { return 1; }, status);
            }
        }
    }

    [[nodiscard]] std::vector<SchemeComparison> compared() const {
        return compare_schemes(sample_.store, sample_.store.find_run("last"));
    }
    [[nodiscard]] RunResult result() const { return evaluate(sample_.store, sample_.store.find_run("last")); }
    [[nodiscard]] store::Store& store() { return sample_.store; }
    [[nodiscard]] std::int64_t run() const { return sample_.run; }

  private:
    static std::string pairs_of(const store::PointRow& point) {
        return point.key.operation == "pingpong" ? plan::settings_of({}, point.key).operation.pair : "";
    }
    static std::vector<plan::PointSpec> with_schemes(const std::vector<plan::PointSpec>& points,
                                                     const std::vector<std::string>& schemes) {
        std::vector<plan::PointSpec> found;
        for (const auto& point : points) {
            for (const auto& scheme : schemes) {
                found.push_back(point);
                found.back().index = static_cast<int>(found.size() - 1);
                found.back().key.scheme = scheme;
            }
        }
        return found;
    }

    testing::SampleStore sample_;
};

plan::PointSpec compared_bcast(std::int64_t size = 8, int procs = 4) {
    return testing::point_spec(0, "bcast", size, procs);
}

const SchemeResult& result_by(const SchemeComparison& comparison, const std::string& scheme) {
    const auto found = std::find_if(comparison.schemes.begin(), comparison.schemes.end(),
                                    [&](const auto& result) { return result.scheme == scheme; });
    if (found == comparison.schemes.end()) {
        throw std::runtime_error("no result by " + scheme);
    }
    return *found;
}

using Changes = std::vector<std::pair<SchemeChange, double>>;

Changes changes_in(const SchemeResult& result) {
    Changes found;
    for (const auto& effect : result.effects) {
        found.emplace_back(effect.change, effect.change_ns);
    }
    return found;
}

std::vector<std::string> scheme_names(const SchemeComparison& comparison) {
    std::vector<std::string> names;
    for (const auto& result : comparison.schemes) {
        names.push_back(result.scheme);
    }
    return names;
}

TEST(SchemeComparison, FindsEveryEffectAtItsTrueSize) {
    ComparedRun run({compared_bcast()});
    run.measure_all(true_times);
    const auto found = run.compared();
    ASSERT_EQ(found.size(), 1U);
    const auto& at = found.front();
    EXPECT_DOUBLE_EQ(at.own_ns.value, 10'440) << "the slowest rank, the median of repetitions";
    using enum SchemeChange;
    EXPECT_EQ(changes_in(result_by(at, "as-imb")),
              (Changes{{over_reps, 105}, {over_ranks, -200}, {barrier_start, 700}, {counts, 20}}));
    EXPECT_EQ(changes_in(result_by(at, "as-pmb")), (Changes{{over_reps, 105},
                                                            {over_ranks, -200},
                                                            {barrier_start, 700},
                                                            {in_a_row, -6'200},
                                                            {root_rotation, 410}}));
    EXPECT_EQ(changes_in(result_by(at, "as-osu")),
              (Changes{{over_reps, 105}, {over_ranks, -200}, {barrier_start, 700}, {counts, -50}}));
    EXPECT_EQ(changes_in(result_by(at, "as-mpptest")), (Changes{{over_reps, -40},
                                                                {over_ranks, -300},
                                                                {barrier_start, 700},
                                                                {in_a_row, -6'200},
                                                                {root_rotation, 410},
                                                                {shorter_loops, 90}}));
    EXPECT_EQ(changes_in(result_by(at, "as-mpbench")), (Changes{{over_reps, 105},
                                                                {over_ranks, -300},
                                                                {barrier_start, 700},
                                                                {in_a_row, -6'200},
                                                                {acknowledged, -300}}));
    EXPECT_EQ(changes_in(result_by(at, "as-skampi")),
              (Changes{{over_reps, 10}, {slot_start, 250}, {cold_data, 1'750}}));
    EXPECT_EQ(changes_in(result_by(at, "as-skampi-barrier")), (Changes{{over_reps, 10},
                                                                       {over_ranks, -300},
                                                                       {slot_start, 250},
                                                                       {cold_data, 1'750},
                                                                       {barrier_to_end, -1'000}}));
    EXPECT_EQ(changes_in(result_by(at, "as-mpibench")), (Changes{{over_reps, 105}, {barrier_start, 700}}));
    EXPECT_EQ(changes_in(result_by(at, "as-nbcbench")), (Changes{{slot_start, 250}}));
}

/// Ping-pong of 32 ranks on hosts of two: 18 us one way between hosts, 1.48 us within one.
TEST(SchemeComparison, OfTwoRanksFindsThePairAndTheWholeRoundTrip) {
    const auto pingpong = plan::find_operation("pingpong");
    ComparedRun run({testing::point_spec(0, "pingpong", 8, 32)}, plan::compared_schemes(pingpong));
    const CallTimes round_trips{{"fathom", 36'000},
                                {"pair-0-1", 2'960},
                                {"pair-max-latency", 38'000},
                                {"pair-half", 36'000},
                                {"as-imb", 2'960},
                                {"as-pmb", 2'960},
                                {"as-osu", 2'960},
                                {"as-mpptest", 2'960},
                                {"as-mpbench", 36'000},
                                {"as-skampi", 38'000},
                                {"as-skampi-barrier", 38'000},
                                {"as-mpibench", 36'000},
                                {"as-nbcbench", 2'960}};
    for (const auto& point : run.store().points(run.run())) {
        run.measure(point, 2, 40, 0,
                    [&](std::size_t, std::size_t) { return round_trips.at(point.key.scheme); });
    }
    const auto found = run.compared();
    ASSERT_EQ(found.size(), 1U);
    const auto& at = found.front();
    EXPECT_DOUBLE_EQ(at.own_ns.value, 18'000);
    EXPECT_EQ(at.key.pattern, "first-last") << "that of fathom's own";
    EXPECT_EQ(at.schemes.size(), plan::schemes().size());
    using enum SchemeChange;
    for (const auto* scheme : {"as-imb", "as-osu", "as-mpptest", "as-nbcbench"}) {
        const auto& result = result_by(at, scheme);
        EXPECT_DOUBLE_EQ(result.value_ns.value, 1'480) << scheme;
        EXPECT_EQ(result.pair, "0-1");
        EXPECT_EQ(changes_in(result), (Changes{{SchemeChange::pair, -16'520}})) << scheme;
        EXPECT_EQ(result.reasons.size(), 1U);
        EXPECT_DOUBLE_EQ(result.remainder_ns, 0);
    }
    EXPECT_DOUBLE_EQ(result_by(at, "as-skampi").value_ns.value, 38'000);
    EXPECT_EQ(changes_in(result_by(at, "as-skampi")),
              (Changes{{SchemeChange::pair, 1'000}, {whole_round_trip, 19'000}}));
    EXPECT_DOUBLE_EQ(result_by(at, "as-mpibench").value_ns.value, 18'000);
}

TEST(SchemeComparison, HasEffectsThatAddUpToTheDifference) {
    ComparedRun run({compared_bcast()});
    stats::Random random(1);
    for (const auto& point : run.store().points(run.run())) {
        // Whatever the times are, with ranks and repetitions that have nothing in common.
        run.measure(point, 4, 30, 0, [&](std::size_t, std::size_t) {
            return static_cast<std::int64_t>(5'000 + 20'000 * random.uniform());
        });
    }
    const auto found = run.compared();
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found.front().schemes.size(), plan::schemes().size()) << "every scheme has its way";
    for (const auto& result : found.front().schemes) {
        double sum = found.front().own_ns.value;
        for (const auto& effect : result.effects) {
            sum += effect.change_ns;
        }
        EXPECT_NEAR(sum, result.value_ns.value, 1e-6) << result.scheme;
    }
}

TEST(SchemeComparison, TellsTheStartSkewOfEachWay) {
    ComparedRun run({compared_bcast()});
    for (const auto& point : run.store().points(run.run())) {
        run.measure(point, 4, 10, point.key.scheme == "as-mpibench" ? 100 : 2,
                    [](std::size_t, std::size_t) { return 1'000; });
    }
    const auto found = run.compared();
    ASSERT_EQ(found.size(), 1U);
    EXPECT_DOUBLE_EQ(found[0].own_skew_median_ns.value(), 6) << "three of 2 ns";
    EXPECT_DOUBLE_EQ(result_by(found[0], "as-mpibench").start_skew_median_ns.value(), 300);
}

TEST(SchemeComparison, LeavesOutWhatMadeNoDifference) {
    ComparedRun run({compared_bcast()});
    for (const auto& point : run.store().points(run.run())) {
        run.measure(point, 4, 10, 0, [](std::size_t, std::size_t) { return 1'000; });
    }
    const auto found = run.compared();
    ASSERT_EQ(found.size(), 1U);
    for (const auto& result : found[0].schemes) {
        EXPECT_THAT(result.effects, IsEmpty()) << result.scheme;
        EXPECT_THAT(result.reasons, IsEmpty());
        EXPECT_DOUBLE_EQ(result.remainder_ns, 0);
    }
}

/// All ways take 1 us, fathom's own three times as long in so many of its 41 repetitions, which are
/// disturbed; that by barriers twice as long as others.
void measure_with_own_disturbed(ComparedRun& run, std::size_t disturbed) {
    for (const auto& point : run.store().points(run.run())) {
        const bool own = point.key.scheme == plan::own_scheme;
        const auto preempted = own ? disturbed : 0;
        run.measure(
            point, 4, 41, 0,
            [&](std::size_t, std::size_t rep) {
                const auto usual = static_cast<std::int64_t>(1'000 + rep * 17 % 41);
                return rep < preempted ? 3 * usual : point.key.scheme == "as-mpibench" ? 2 * usual : usual;
            },
            PointStatus::ok, preempted);
    }
}

TEST(SchemeComparison, HasTheNumbersOfThePoints) {
    ComparedRun run({compared_bcast()});
    measure_with_own_disturbed(run, 15);
    const auto found = run.compared().at(0);
    for (const auto& point : run.result().points) {
        const auto& scheme = point.key.scheme;
        if (scheme == plan::own_scheme) {
            EXPECT_EQ(point.set_aside, 0) << "as those of the schemes";
            EXPECT_EQ(found.own_ns.value, point.value_ns->value);
            EXPECT_EQ(found.own_quality, point.quality);
        } else if (scheme != plan::in_a_row_scheme) {
            EXPECT_EQ(result_by(found, scheme).value_ns.value, point.value_ns->value) << scheme;
            EXPECT_EQ(result_by(found, scheme).quality, point.quality) << scheme;
        }
    }
}

TEST(SchemeComparison, NamesNoReasonsWhereAMeasurementWasDisturbed) {
    const auto compared_with = [](std::size_t own_disturbed) {
        ComparedRun run({compared_bcast()});
        measure_with_own_disturbed(run, own_disturbed);
        return run.compared().at(0);
    };
    const auto calm = compared_with(2);
    EXPECT_FALSE(result_by(calm, "as-mpibench").disturbed);
    EXPECT_FALSE(result_by(calm, "as-mpibench").reasons.empty());
    const auto disturbed = compared_with(21);
    EXPECT_EQ(disturbed.own_quality, Quality::disturbed);
    for (const auto& result : disturbed.schemes) {
        EXPECT_TRUE(result.disturbed) << result.scheme;
        EXPECT_THAT(result.reasons, IsEmpty()) << result.scheme;
    }
}

TEST(SchemeComparison, HasOneForEverySizeAndProcessCount) {
    ComparedRun run({compared_bcast(8, 4), compared_bcast(64, 4), compared_bcast(8, 2),
                     testing::point_spec(0, "reduce", 8, 4)});
    for (const auto& point : run.store().points(run.run())) {
        run.measure_exactly(point, true_times, point.key.size.count * point.key.procs);
    }
    const auto found = run.compared();
    ASSERT_EQ(found.size(), 4U);
    for (const auto& comparison : found) {
        const auto longer = static_cast<double>(comparison.key.size.count * comparison.key.procs);
        EXPECT_DOUBLE_EQ(comparison.own_ns.value, 10'440 * longer);
        EXPECT_EQ(changes_in(result_by(comparison, "as-nbcbench")),
                  (Changes{{SchemeChange::slot_start, 250 * longer}}))
            << "from its own measurements alone";
        EXPECT_EQ(comparison.schemes.size(), plan::schemes().size());
    }
    EXPECT_EQ(found[0].key.operation, "bcast");
    EXPECT_EQ(found[0].key.procs, 2);
    EXPECT_EQ(found[2].key.size.count, 64);
    EXPECT_EQ(found[3].key.operation, "reduce");
}

TEST(SchemeComparison, LeavesOutSchemesWhoseWayHasAStepWithoutATime) {
    const auto without = [](const std::string& scheme) {
        ComparedRun run({compared_bcast()});
        run.measure_all(true_times);
        run.fail(scheme);
        return scheme_names(run.compared().at(0));
    };
    EXPECT_THAT(without("as-osu"), ElementsAre("as-imb", "as-pmb", "as-mpptest", "as-mpbench", "as-skampi",
                                               "as-skampi-barrier", "as-mpibench", "as-nbcbench"));
    EXPECT_THAT(without("in-a-row"), ElementsAre("as-imb", "as-osu", "as-skampi", "as-skampi-barrier",
                                                 "as-mpibench", "as-nbcbench"));
    EXPECT_THAT(without("as-pmb"), ElementsAre("as-imb", "as-osu", "as-mpbench", "as-skampi",
                                               "as-skampi-barrier", "as-mpibench", "as-nbcbench"));
    EXPECT_THAT(without("as-mpibench"), ElementsAre("as-skampi", "as-skampi-barrier", "as-nbcbench"));
}

TEST(SchemeComparison, LeavesOutPointsWithoutATimeOfTheirOwn) {
    ComparedRun run({compared_bcast(8), compared_bcast(16)});
    EXPECT_THAT(run.compared(), IsEmpty()) << "nothing was measured yet";
    run.measure_all(true_times);
    run.fail("fathom", PointStatus::unavailable);
    EXPECT_THAT(run.compared(), IsEmpty());
    run.measure_exactly(run.store().point(run.run(), 0), true_times);
    ASSERT_EQ(run.compared().size(), 1U);
    EXPECT_EQ(run.compared().front().key.size.count, 8);
}

TEST(SchemeComparison, IsOfPointsWithASchemeAloneAndOfAllLaunches) {
    ComparedRun run({compared_bcast()});
    run.measure_all(true_times);
    auto plain = compared_bcast(32);
    plain.index = 100;
    run.store().add_points(run.run(), 0, std::vector{plain});
    auto later = compared_bcast();
    later.index = 101;
    later.key.scheme = "fathom";
    run.store().add_points(run.run(), 1, std::vector{later});
    run.measure(run.store().point(run.run(), 100), 4, 8, 0, [](std::size_t, std::size_t) { return 77; });
    run.measure(run.store().point(run.run(), 101), 4, 8, 0, [](std::size_t, std::size_t) { return 10'460; });
    const auto found = run.compared();
    ASSERT_EQ(found.size(), 1U);
    EXPECT_DOUBLE_EQ(found.front().own_ns.value, 10'450) << "the median of 10440 and 10460";
}

TEST(SchemeComparison, OfAResultIsThatOfItsPoints) {
    ComparedRun run({compared_bcast(8), compared_bcast(16), compared_bcast(8, 2)});
    run.measure_all(true_times);
    auto result = evaluate(run.store(), run.store().find_run("last"));
    EXPECT_EQ(compare_schemes(run.store(), result).size(), 3U);
    std::erase_if(result.points,
                  [](const auto& point) { return point.key.size.count != 8 || point.key.procs != 4; });
    const auto found = compare_schemes(run.store(), result);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found.front().key.procs, 4);
    EXPECT_EQ(found.front().key.size.count, 8);
}

TEST(SchemeComparison, IsUnsureOfMeasurementsByBothTheirIntervals) {
    ComparedRun run({compared_bcast()});
    run.measure_all(true_times);
    const auto at = run.compared().at(0);
    const auto& effects = result_by(at, "as-pmb").effects;
    // Both ends of a step have the same repetitions: their half intervals add up as squares.
    const auto& last = result_by(at, "as-pmb").value_ns;
    EXPECT_NEAR(effects.at(4).unsure_ns, std::sqrt(2) * (last.ci95->high - last.value), 1e-6);
}

TEST(SchemeComparison, IsUnsureOfAMeanThatOneOutlierDecides) {
    ComparedRun run({compared_bcast(8, 2)}, {"fathom", "as-mpibench"});
    for (const auto& point : run.store().points(run.run())) {
        run.measure(point, 2, 100, 0,
                    [](std::size_t, std::size_t rep) { return rep == 50 ? 1'001'000 : 1'000; });
    }
    const auto at = run.compared().at(0);
    const auto& result = result_by(at, "as-mpibench");
    const auto& mean = result.effects.at(0);
    EXPECT_EQ(mean.change, SchemeChange::over_reps);
    EXPECT_DOUBLE_EQ(mean.change_ns, 10'000);
    // One of 20 parts of 5 is 200,000 off: 2.093 times 200,000 / sqrt(20) / sqrt(20) is the reach.
    EXPECT_NEAR(mean.unsure_ns, 20'930, 1);
    EXPECT_FALSE(mean.seen()) << "another run may have none, or three";
    EXPECT_THAT(result.reasons, IsEmpty());
    EXPECT_DOUBLE_EQ(result.remainder_ns, 10'000);
    EXPECT_GT(result.remainder_unsure_ns, 10'000);
}

TEST(SchemeComparison, HasReasonsAndARemainderThatAddUpToTheDifference) {
    ComparedRun run({compared_bcast()});
    run.measure_all(true_times);
    const auto compared = run.compared();
    for (const auto& result : compared.at(0).schemes) {
        double sum = 10'440 + result.remainder_ns;
        for (const auto& reason : result.reasons) {
            EXPECT_TRUE(reason.seen());
            EXPECT_GE(std::abs(reason.change_ns), 0.02 * 10'440);
            sum += reason.change_ns;
        }
        EXPECT_NEAR(sum, result.value_ns.value, 1e-6) << result.scheme;
        EXPECT_TRUE(std::is_sorted(
            result.reasons.begin(), result.reasons.end(),
            [](const auto& a, const auto& b) { return std::abs(a.change_ns) > std::abs(b.change_ns); }))
            << result.scheme;
    }
}

TEST(SchemeComparison, MissesATrueEffectInFivePercentAndSeesOneInFivePercentWhereThereIsNone) {
    constexpr int sizes = 100;
    std::vector<plan::PointSpec> points;
    for (int i = 0; i < sizes; ++i) {
        points.push_back(compared_bcast(8 + i, 2));
    }
    ComparedRun run(points, {"fathom", "as-mpibench", "as-osu"});
    stats::Random random(1);
    for (const auto& point : run.store().points(run.run())) {
        std::vector<std::int64_t> noise(60);
        std::generate(noise.begin(), noise.end(),
                      [&] { return static_cast<std::int64_t>(100 * random.normal()); });
        const std::int64_t call = point.key.scheme == "fathom" ? 10'000 : 10'700;
        run.measure(point, 2, noise.size(), 0,
                    [&](std::size_t, std::size_t rep) { return call + noise[rep]; });
    }
    int covered = 0;
    int seen_for_nothing = 0;
    for (const auto& comparison : run.compared()) {
        const auto& effects = result_by(comparison, "as-osu").effects;
        const auto effect_of = [&](SchemeChange change) {
            const auto found = std::find_if(effects.begin(), effects.end(),
                                            [&](const auto& effect) { return effect.change == change; });
            return found == effects.end() ? SchemeEffect{} : *found;
        };
        const auto barrier = effect_of(SchemeChange::barrier_start);
        EXPECT_TRUE(barrier.seen()) << "700 ns against 26";
        covered += std::abs(barrier.change_ns - 700) <= barrier.unsure_ns ? 1 : 0;
        seen_for_nothing += effect_of(SchemeChange::counts).seen() ? 1 : 0;
    }
    // 95 and 5 of 100, give or take three times sqrt(100 x 0.95 x 0.05) = 2.2.
    EXPECT_NEAR(covered, 95, 7);
    EXPECT_NEAR(seen_for_nothing, 5, 7);
}

TEST(SchemeEffects, AreSeenInEitherDirectionBeyondTheirUncertainty) {
    EXPECT_TRUE((SchemeEffect{.change_ns = 10, .unsure_ns = 9}.seen()));
    EXPECT_TRUE((SchemeEffect{.change_ns = -10, .unsure_ns = 9}.seen()));
    EXPECT_FALSE((SchemeEffect{.change_ns = 10, .unsure_ns = 10}.seen()));
    EXPECT_FALSE((SchemeEffect{.change_ns = -10, .unsure_ns = 11}.seen()));
}

}  // namespace
}  // namespace fathom::analysis
