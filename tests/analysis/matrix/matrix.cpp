#include "analysis/matrix/matrix.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/run/run_result.hpp"
#include "plan/pairing.hpp"
#include "store/sample_store.hpp"

namespace fathom::analysis {
namespace {

using testing::block_of;
using ::testing::ElementsAre;
using testing::point_spec;
using testing::samples_of;
using testing::SampleStore;

/// Durations of a rank: 1000 a + 100 b + the repetition for the lower of a pair, something else for the
/// other.
std::vector<std::int64_t> durations(int procs, int rank, int reps) {
    std::vector<std::int64_t> found;
    for (int rep = 0; rep < reps; ++rep) {
        const int partner = plan::tournament_partner(procs, rep % plan::tournament_rounds(procs), rank);
        found.push_back(partner == plan::nobody ? 1
                        : partner > rank        ? 1000 * rank + 100 * partner + rep
                                                : 999'999);
    }
    return found;
}

void put_matrix(SampleStore& sample, int position, int procs, int reps) {
    std::vector<journal::SampleBlock> blocks;
    journal::JobInfo info;
    info.mpi_version = "some MPI";
    sample.store.put(sample.job, info);
    for (int rank = 0; rank < procs; ++rank) {
        blocks.push_back(block_of(rank, 0, samples_of(durations(procs, rank, reps))));
        sample.store.put(sample.job,
                         journal::RankInfo{rank, "h" + std::to_string(rank / 2), 10 + rank, "0", 0});
    }
    sample.put(position, blocks);
}

MatrixResult matrix_in(const SampleStore& sample, const std::string& ranks = "") {
    return matrix_of(sample.store, sample.run, sample.store.points(sample.run),
                     ranks.empty() ? RankSet() : RankSet::parse(ranks));
}

TEST(MatrixOf, HasHalfOfTheLowerRanksTimeOfEveryPair) {
    for (const int procs : {2, 3, 4, 5, 8, 9}) {
        SampleStore sample({point_spec(0, "matrix", 64, procs)});
        const int rounds = plan::tournament_rounds(procs);
        put_matrix(sample, 0, procs, 3 * rounds);
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
    SampleStore sample({point_spec(0, "matrix", 64, 4)});
    put_matrix(sample, 0, 4, 3);
    EXPECT_THAT(matrix_in(sample).ranks, ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(matrix_in(sample).hosts, ElementsAre("h0", "h0", "h1", "h1"));
}

TEST(MatrixOf, MayBeThatOfSomeRanksOnly) {
    SampleStore sample({point_spec(0, "matrix", 64, 5)});
    put_matrix(sample, 0, 5, 5);
    const auto whole = matrix_in(sample);
    const auto some = matrix_in(sample, "1,3-4");
    EXPECT_THAT(some.ranks, ElementsAre(1, 3, 4));
    EXPECT_THAT(some.hosts, ElementsAre("h0", "h1", "h2"));
    EXPECT_DOUBLE_EQ(some.pair(0, 1).median_ns, whole.pair(1, 3).median_ns);
    EXPECT_DOUBLE_EQ(some.pair(0, 2).median_ns, whole.pair(1, 4).median_ns);
    EXPECT_DOUBLE_EQ(some.pair(1, 2).median_ns, whole.pair(3, 4).median_ns);
}

TEST(MatrixOf, SeveralStartsTakesTheTimesOfAll) {
    SampleStore sample({point_spec(0, "matrix", 64, 4), point_spec(1, "matrix", 64, 4)});
    put_matrix(sample, 0, 4, 6);
    put_matrix(sample, 1, 4, 9);
    EXPECT_EQ(matrix_in(sample).pair(1, 2).reps, 5);
}

TEST(MatrixOf, LeavesOutInvalidRepetitionsAndTheCostOfTimeStamps) {
    SampleStore sample({point_spec(0, "matrix", 64, 2)});
    auto samples = samples_of({500, 300, 400});
    samples[1].valid = false;
    sample.store.put(sample.job, journal::RankInfo{0, "h0", 10, "0", 100});
    sample.put(0, {block_of(0, 0, samples), block_of(1, 0, samples)});
    EXPECT_EQ(matrix_in(sample).pair(0, 1).reps, 2);
    EXPECT_DOUBLE_EQ(matrix_in(sample).pair(0, 1).min_ns, 150);
    EXPECT_DOUBLE_EQ(matrix_in(sample).pair(0, 1).median_ns, 175);
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
    SampleStore sample({point_spec(0, "matrix", 1024, 3), point_spec(1, "bcast", 8, 3),
                        point_spec(2, "matrix", 8, 3), point_spec(3, "matrix", 64, 3)});
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
