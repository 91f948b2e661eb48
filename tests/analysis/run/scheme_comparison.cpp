#include "analysis/run/scheme_comparison.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/run/run_result.hpp"
#include "plan/schemes.hpp"
#include "stats/random.hpp"
#include "store/sample_store.hpp"

namespace fathom::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

/// What one call takes on every rank by each way of measuring, before what ranks and repetitions add.
using CallTimes = std::map<std::string, std::int64_t, std::less<>>;

const CallTimes true_times{{"fathom", 10'000},    {"as-mpibench", 10'700}, {"in-a-row", 4'500},
                           {"as-imb", 4'910},     {"as-osu", 10'650},      {"as-mpptest", 5'000},
                           {"as-mpbench", 4'200}, {"as-nbcbench", 10'250}, {"as-skampi", 12'000}};

/// What single repetitions add: median 40, mean 145, minimum 0, mean of the middle half 50.
const std::vector<std::int64_t> rep_adds{100, 0, 20, 850, 30, 10, 100, 50};
/// What ranks add: 400 at most, 200 in the mean, 100 on rank 0.
const std::vector<std::int64_t> rank_adds{100, 0, 400, 300};

/// A run that compared schemes at some points, each by all of them.
class ComparedRun {
  public:
    /// The index of `points` does not matter.
    explicit ComparedRun(const std::vector<plan::PointSpec>& points,
                         const std::vector<std::string>& schemes = plan::compared_schemes())
        : sample_(with_schemes(points, schemes), "compared", "compare_schemes = true\n") {
        journal::JobInfo info;
        info.simulated = true;  // all ranks read one clock
        sample_.store.put(sample_.job, info);
    }

    /// Stores repetitions of a point by a scheme: `call_ns` on rank and repetition, with calls in a row where
    /// the scheme makes them. Ranks start `skew_ns` after each other.
    template <typename CallTime>
    void measure(const store::PointRow& point, std::size_t ranks, std::size_t reps, std::int64_t skew_ns,
                 const CallTime& call_ns, PointStatus status = PointStatus::ok) {
        const auto calls = plan::settings_of({}, {.scheme = point.key.scheme}).in_a_row;
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
        sample_.put({.index = point.position, .status = status, .calls = calls}, blocks, sample_.job);
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
    [[nodiscard]] store::Store& store() { return sample_.store; }
    [[nodiscard]] std::int64_t run() const { return sample_.run; }

  private:
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

std::vector<std::pair<std::string, double>> changes_in(const SchemeResult& result) {
    std::vector<std::pair<std::string, double>> found;
    for (const auto& effect : result.effects) {
        found.emplace_back(effect.name, effect.change_ns);
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
    EXPECT_THAT(changes_in(result_by(at, "as-imb")),
                ElementsAre(Pair("mean of repetitions", 105), Pair("mean of ranks", -200),
                            Pair("skew of MPI_Barrier's exit", 700), Pair("pipelining", -6'200),
                            Pair("root rotation", 410)));
    EXPECT_THAT(changes_in(result_by(at, "as-osu")),
                ElementsAre(Pair("mean of repetitions", 105), Pair("mean of ranks", -200),
                            Pair("skew of MPI_Barrier's exit", 700), Pair("long warm-up", -50)));
    EXPECT_THAT(changes_in(result_by(at, "as-mpptest")),
                ElementsAre(Pair("min of repetitions", -40), Pair("rank 0 only", -300),
                            Pair("skew of MPI_Barrier's exit", 700), Pair("pipelining", -6'200),
                            Pair("root rotation", 410), Pair("shorter loops", 90)));
    EXPECT_THAT(changes_in(result_by(at, "as-mpbench")),
                ElementsAre(Pair("mean of repetitions", 105), Pair("rank 0 only", -300),
                            Pair("skew of MPI_Barrier's exit", 700), Pair("pipelining", -6'200),
                            Pair("no synchronisation before the loop", -300)));
    EXPECT_THAT(changes_in(result_by(at, "as-skampi")),
                ElementsAre(Pair("skampi-middle of repetitions", 10), Pair("start in slots", 250),
                            Pair("data out of cache", 1'750)));
    EXPECT_THAT(changes_in(result_by(at, "as-mpibench")),
                ElementsAre(Pair("mean of repetitions", 105), Pair("skew of MPI_Barrier's exit", 700)));
    EXPECT_THAT(changes_in(result_by(at, "as-nbcbench")), ElementsAre(Pair("start in slots", 250)));
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
        EXPECT_EQ(effects_text(result, 1'000), "nothing beyond noise");
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
        EXPECT_THAT(changes_in(result_by(comparison, "as-nbcbench")),
                    ElementsAre(Pair("start in slots", 250 * longer)))
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
    EXPECT_THAT(without("as-osu"),
                ElementsAre("as-imb", "as-mpptest", "as-mpbench", "as-skampi", "as-mpibench", "as-nbcbench"));
    EXPECT_THAT(without("in-a-row"), ElementsAre("as-osu", "as-skampi", "as-mpibench", "as-nbcbench"));
    EXPECT_THAT(without("as-imb"),
                ElementsAre("as-osu", "as-mpbench", "as-skampi", "as-mpibench", "as-nbcbench"));
    EXPECT_THAT(without("as-mpibench"), ElementsAre("as-skampi", "as-nbcbench"));
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

TEST(SchemeComparison, IsOfTheFirstStartAndOfPointsWithASchemeAlone) {
    ComparedRun run({compared_bcast()});
    run.measure_all(true_times);
    auto plain = compared_bcast(32);
    plain.index = 100;
    run.store().add_points(run.run(), 0, std::vector{plain});
    auto later = compared_bcast(64);
    later.index = 101;
    later.key.scheme = "fathom";
    run.store().add_points(run.run(), 1, std::vector{later});
    run.measure(run.store().point(run.run(), 100), 4, 8, 0, [](std::size_t, std::size_t) { return 77; });
    run.measure(run.store().point(run.run(), 101), 4, 8, 0, [](std::size_t, std::size_t) { return 99; });
    const auto found = run.compared();
    ASSERT_EQ(found.size(), 1U);
    EXPECT_DOUBLE_EQ(found.front().own_ns.value, 10'440);
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

TEST(SchemeComparison, IsSureOfLooksAtTheSameSamplesAndUnsureOfMeasurements) {
    ComparedRun run({compared_bcast()});
    run.measure_all(true_times);
    const auto at = run.compared().at(0);
    const auto& effects = result_by(at, "as-imb").effects;
    EXPECT_EQ(effects.at(0).unsure_ns, 0) << "mean of repetitions";
    EXPECT_EQ(effects.at(1).unsure_ns, 0) << "mean of ranks";
    EXPECT_GT(effects.at(2).unsure_ns, 0) << "skew of MPI_Barrier's exit";
    // Both ends of a step have the same repetitions: their half intervals add up as squares.
    const auto& last = result_by(at, "as-imb").value_ns.ci95.value();
    EXPECT_NEAR(effects.at(4).unsure_ns, std::sqrt(2) * (last.high - last.low) / 2, 1e-6);
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
        const auto effect_called = [&](const std::string& name) {
            const auto found = std::find_if(effects.begin(), effects.end(),
                                            [&](const auto& effect) { return effect.name == name; });
            return found == effects.end() ? SchemeEffect{} : *found;
        };
        const auto barrier = effect_called("skew of MPI_Barrier's exit");
        EXPECT_TRUE(barrier.seen()) << "700 ns against 26";
        covered += std::abs(barrier.change_ns - 700) <= barrier.unsure_ns ? 1 : 0;
        seen_for_nothing += effect_called("long warm-up").seen() ? 1 : 0;
    }
    // 95 and 5 of 100, give or take three times sqrt(100 x 0.95 x 0.05) = 2.2.
    EXPECT_NEAR(covered, 95, 7);
    EXPECT_NEAR(seen_for_nothing, 5, 7);
}

TEST(SchemeEffects, AreSeenInEitherDirectionBeyondTheirUncertainty) {
    EXPECT_TRUE((SchemeEffect{.name = "", .change_ns = 10, .unsure_ns = 9}.seen()));
    EXPECT_TRUE((SchemeEffect{.name = "", .change_ns = -10, .unsure_ns = 9}.seen()));
    EXPECT_FALSE((SchemeEffect{.name = "", .change_ns = 10, .unsure_ns = 10}.seen()));
    EXPECT_FALSE((SchemeEffect{.name = "", .change_ns = -10, .unsure_ns = 11}.seen()));
}

TEST(EffectsText, NamesTheLargestFirstAndLeavesOutNoiseAndTrifles) {
    SchemeResult result;
    result.effects = {{.name = "small", .change_ns = 410, .unsure_ns = 10},
                      {.name = "large", .change_ns = -6'200, .unsure_ns = 100},
                      {.name = "unsure", .change_ns = 5'000, .unsure_ns = 5'001},
                      {.name = "trifle", .change_ns = 199, .unsure_ns = 0},
                      {.name = "just", .change_ns = 200, .unsure_ns = 0}};
    EXPECT_EQ(effects_text(result, 10'000), "large -6.20 us, small +410 ns, just +200 ns")
        << "2 % of 10 us are 200 ns";
    EXPECT_EQ(effects_text(result, 1e6), "nothing beyond noise");
    EXPECT_EQ(effects_text({}, 10'000), "nothing beyond noise");
}

}  // namespace
}  // namespace fathom::analysis
