#include "analysis/matrix/matrix.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/run/run_result.hpp"
#include "plan/pairing.hpp"
#include "store/sample_clock.hpp"
#include "store/sample_store.hpp"

namespace fathom::analysis {
namespace {

using testing::block_of;
using ::testing::ElementsAre;
using testing::point_spec;
using testing::samples_of;
using testing::SampleStore;

/// Two ranks on each host.
plan::PairSchedule schedule_in(int procs, bool contended) {
    std::vector<int> hosts;
    for (int rank = 0; rank < procs; ++rank) {
        hosts.push_back(rank / 2);
    }
    return {hosts, contended};
}

plan::PointSpec matrix_spec(int index, std::int64_t size, int procs, bool contended = false) {
    auto point = point_spec(index, "matrix", size, procs);
    point.key.pattern = contended ? "matrix" : point.key.pattern;
    return point;
}

/// Durations of a rank: 1000 a + 100 b + the repetition for the lower of a pair, something else for the
/// other.
std::vector<std::int64_t> durations(const plan::PairSchedule& schedule, int rank, int reps) {
    std::vector<std::int64_t> found;
    for (int rep = 0; rep < reps; ++rep) {
        const int partner = schedule.partner(rep % schedule.rounds(), rank);
        found.push_back(partner == plan::nobody ? 1
                        : partner > rank        ? 1000 * rank + 100 * partner + rep
                                                : 999'999);
    }
    return found;
}

void put_matrix(SampleStore& sample, int position, int procs, int reps, bool contended = false) {
    std::vector<journal::SampleBlock> blocks;
    journal::JobInfo info;
    info.mpi_version = "some MPI";
    sample.store.put(sample.job, info);
    for (int rank = 0; rank < procs; ++rank) {
        blocks.push_back(block_of(rank, 0, samples_of(durations(schedule_in(procs, contended), rank, reps))));
        sample.store.put(sample.job,
                         journal::RankInfo{rank, "h" + std::to_string(rank / 2), 10 + rank, "0", 0});
    }
    sample.put(position, blocks);
}

MatrixResult matrix_in(const SampleStore& sample, const std::string& ranks = "") {
    std::vector<MatrixLaunch> launches;
    for (const auto& point : sample.store.points(sample.run)) {
        launches.push_back({.point = point});
    }
    return matrix_of(sample.store, sample.run, launches, ranks.empty() ? RankSet() : RankSet::parse(ranks));
}

TEST(MatrixOf, HasHalfOfTheLowerRanksTimeOfEveryPair) {
    for (const auto& [procs, contended] :
         {std::pair{2, false}, {3, false}, {4, false}, {5, false}, {8, false}, {5, true}, {8, true}}) {
        SampleStore sample({matrix_spec(0, 64, procs, contended)});
        const auto rounds = static_cast<int>(schedule_in(procs, contended).rounds());
        put_matrix(sample, 0, procs, 3 * rounds, contended);
        const auto matrix = matrix_in(sample);
        EXPECT_EQ(matrix.key.procs, procs);
        EXPECT_EQ(matrix.key.size, Bytes{64});
        ASSERT_EQ(matrix.ranks.size(), static_cast<std::size_t>(procs));
        for (std::size_t b = 0; b < matrix.ranks.size(); ++b) {
            for (std::size_t a = 0; a < b; ++a) {
                const auto& pair = matrix.pair(a, b);
                const auto base = static_cast<double>(1000 * a + 100 * b);
                EXPECT_EQ(pair.reps, 3);
                EXPECT_GE(2 * pair.min_ns, base);
                EXPECT_LT(2 * pair.min_ns, base + rounds);
                EXPECT_DOUBLE_EQ(2 * pair.median_ns, 2 * pair.min_ns + rounds);
                EXPECT_EQ(&pair, &matrix.pair(b, a));
            }
        }
    }
}

TEST(MatrixOf, KnowsTheHostsOfItsRanks) {
    SampleStore sample({matrix_spec(0, 64, 4)});
    put_matrix(sample, 0, 4, 5);
    EXPECT_THAT(matrix_in(sample).ranks, ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(matrix_in(sample).hosts, ElementsAre("h0", "h0", "h1", "h1"));
}

TEST(MatrixOf, MayBeThatOfSomeRanksOnly) {
    SampleStore sample({matrix_spec(0, 64, 5)});
    put_matrix(sample, 0, 5, 12);
    const auto whole = matrix_in(sample);
    const auto some = matrix_in(sample, "1,3-4");
    EXPECT_THAT(some.ranks, ElementsAre(1, 3, 4));
    EXPECT_THAT(some.hosts, ElementsAre("h0", "h1", "h2"));
    EXPECT_DOUBLE_EQ(some.pair(0, 1).median_ns, whole.pair(1, 3).median_ns);
    EXPECT_DOUBLE_EQ(some.pair(0, 2).median_ns, whole.pair(1, 4).median_ns);
    EXPECT_DOUBLE_EQ(some.pair(1, 2).median_ns, whole.pair(3, 4).median_ns);
}

TEST(MatrixOf, SeveralStartsTakesTheTimesOfAll) {
    SampleStore sample({matrix_spec(0, 64, 4), matrix_spec(1, 64, 4)});
    put_matrix(sample, 0, 4, 10);
    put_matrix(sample, 1, 4, 15);
    EXPECT_EQ(matrix_in(sample).pair(1, 2).reps, 5);
}

TEST(MatrixOf, LeavesOutInvalidRepetitionsAndTheCostOfTimeStamps) {
    SampleStore sample({matrix_spec(0, 64, 2)});
    auto samples = samples_of({500, 300, 400});
    samples[1].valid = false;
    sample.store.put(sample.job, journal::RankInfo{0, "h0", 10, "0", 100});
    sample.store.put(sample.job, journal::RankInfo{1, "h0", 11, "1", 0});
    sample.put(0, {block_of(0, 0, samples), block_of(1, 0, samples)});
    EXPECT_EQ(matrix_in(sample).pair(0, 1).reps, 2);
    EXPECT_DOUBLE_EQ(matrix_in(sample).pair(0, 1).min_ns, 150);
    EXPECT_DOUBLE_EQ(matrix_in(sample).pair(0, 1).median_ns, 175);
}

TEST(MatrixOf, LeavesOutRepetitionsThatDoNotCount) {
    SampleStore sample({matrix_spec(0, 64, 2)});
    put_matrix(sample, 0, 2, 4);
    const auto matrix = matrix_of(sample.store, sample.run,
                                  {{.point = sample.store.points(sample.run)[0], .left_out = {1, 3}}});
    EXPECT_EQ(matrix.pair(0, 1).reps, 2);
    EXPECT_DOUBLE_EQ(matrix.pair(0, 1).median_ns, (100 + 1) / 2.0) << "halves of 100 and 102";
}

/// A run of one matrix of three ranks on one clock, of whose 30 rounds the first ones were disturbed: they
/// take 50 us, the others 10.
class DisturbedMatrix : public ::testing::Test {
  protected:
    [[nodiscard]] static RunResult run_with(int disturbed, const std::string& plan_toml = "judge = true\n") {
        constexpr std::int64_t apart_ns = 1'000'000;
        SampleStore sample({matrix_spec(0, 8, 3)}, "sample", plan_toml, 3);
        std::vector<journal::SampleBlock> blocks;
        std::vector<journal::ClockSync> syncs;
        for (int rank = 0; rank < 3; ++rank) {
            sample.store.put(sample.job, journal::RankInfo{rank, "h" + std::to_string(rank), 10, "0", 0});
            syncs.push_back(testing::sync_of(0, rank, 0, 0, 1));
            std::vector<journal::Sample> samples;
            for (int rep = 0; rep < 30; ++rep) {
                samples.push_back({.start = {(rep + 1) * apart_ns},
                                   .duration = {rep < disturbed ? 100'000 : 20'000},
                                   .valid = true});
            }
            blocks.push_back(block_of(rank, 0, samples));
        }
        sample.store.put(sample.job, syncs);
        std::vector<journal::Disturbance> disturbances;
        if (disturbed > 0) {
            const auto until = disturbed * apart_ns + apart_ns / 2;
            disturbances.push_back(
                {.point = 0, .rank = 1, .begin_ns = 1, .end_ns = until, .waited_ns = until});
        }
        journal::PointEnd end{.index = 0, .status = journal::PointStatus::ok, .datatype = "byte"};
        end.samples = testing::count_in(blocks);
        sample.store.put_point(sample.run, sample.job, end, testing::source_of(blocks),
                               {.disturbances = disturbances});
        return evaluate(sample.store, sample.store.find_run("last"));
    }
};

TEST_F(DisturbedMatrix, IsMadeOfTheRepetitionsThatCount) {
    const auto result = run_with(9);
    ASSERT_EQ(result.matrices.size(), 1U);
    const auto& matrix = result.matrices[0];
    EXPECT_EQ(result.points[0].set_aside, 9);
    EXPECT_EQ(matrix.pair(0, 1).reps, 7) << "of 10, of which three were disturbed";
    EXPECT_DOUBLE_EQ(matrix.pair(0, 1).high_ns, 10'000);
    EXPECT_FALSE(matrix.disturbed);
    EXPECT_NE(result.slow_components.limit, MatrixLimit::disturbed);
    EXPECT_TRUE(result.verdict->accepted);
}

TEST_F(DisturbedMatrix, SaysNothingWhereTooLittleIsLeft) {
    for (const auto& [disturbed, plan] :
         {std::pair{11, "judge = true\n"}, {15, "judge = true\nreps = 30\n"}}) {
        const auto result = run_with(disturbed, plan);
        ASSERT_EQ(result.matrices.size(), 1U) << plan;
        EXPECT_EQ(result.matrices[0].pair(0, 1).reps, 10) << "it can be looked at";
        EXPECT_TRUE(result.matrices[0].disturbed) << plan;
        EXPECT_EQ(result.slow_components.limit, MatrixLimit::disturbed) << plan;
        EXPECT_FALSE(result.verdict->accepted) << plan;
        EXPECT_FALSE(result.verdict->decided) << plan;
    }
}

TEST(SummaryOf, LeavesATenthOfTheTimesOutAtEitherEnd) {
    std::vector<double> times;
    for (int i = 0; i <= 30; ++i) {
        times.push_back(i);
    }
    auto summary = summary_of(times);
    EXPECT_EQ(summary.reps, 31);
    EXPECT_DOUBLE_EQ(summary.median_ns, 15);
    EXPECT_DOUBLE_EQ(summary.min_ns, 0);
    EXPECT_DOUBLE_EQ(summary.low_ns, 3);
    EXPECT_DOUBLE_EQ(summary.high_ns, 27);
    summary = summary_of({3, 1, 2});
    EXPECT_DOUBLE_EQ(summary.low_ns, 1) << "of few it is the ends";
    EXPECT_DOUBLE_EQ(summary.high_ns, 3);
    EXPECT_EQ(summary_of({}).reps, 0);
}

TEST(EvaluateRun, HasAMatrixForEverySizeAndWhatStandsOut) {
    SampleStore sample(
        {matrix_spec(0, 1024, 3), point_spec(1, "bcast", 8, 3), matrix_spec(2, 8, 3), matrix_spec(3, 64, 3)});
    put_matrix(sample, 0, 3, 9);
    put_matrix(sample, 2, 3, 9);
    const auto result = evaluate(sample.store, sample.store.find_run("last"));
    ASSERT_EQ(result.matrices.size(), 2U) << "one was not measured";
    EXPECT_EQ(result.matrices[0].key.size, Bytes{8});
    EXPECT_EQ(result.matrices[1].key.size, Bytes{1024});
    EXPECT_EQ(result.slow_components.limit, MatrixLimit::two_hosts) << "h0 has two ranks, h1 one";
}

}  // namespace
}  // namespace fathom::analysis
