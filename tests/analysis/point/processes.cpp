#include "analysis/point/processes.hpp"

#include <bit>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fathom::analysis {
namespace {

using ::testing::ElementsAre;

/// A number of repetitions of processes with these medians and a relative scatter.
Repetitions made(std::mt19937_64& random, const std::vector<double>& medians, std::size_t reps,
                 double scatter) {
    std::lognormal_distribution<double> noise(0, scatter);
    Repetitions all;
    for (std::size_t i = 0; i < reps; ++i) {
        double longest = 0;
        int last = 0;
        for (std::size_t rank = 0; rank < medians.size(); ++rank) {
            const double time = medians[rank] * noise(random);
            all.by_rank[static_cast<int>(rank)].push_back(time);
            last = time > longest ? static_cast<int>(rank) : last;
            longest = std::max(longest, time);
        }
        all.times.push_back(longest);
        all.last_ranks.push_back(last);
    }
    return all;
}

TEST(Processes, TellWhatEachTookAndWhere) {
    Repetitions repetitions;
    repetitions.times = {20, 40, 30};
    repetitions.last_ranks = {1, 1, 0};
    repetitions.by_rank = {{0, {10, 30, 30}}, {1, {20, 40, 15}}};
    const auto found = processes_of(repetitions, {{0, "a"}, {1, "b"}});
    ASSERT_EQ(found.ranks.size(), 2U);
    EXPECT_EQ(found.ranks[1].rank, 1);
    EXPECT_EQ(found.ranks[1].host, "b");
    EXPECT_EQ(found.ranks[1].count, 3U);
    EXPECT_EQ(found.ranks[1].min_ns, 15);
    EXPECT_EQ(found.ranks[1].median_ns, 20);
    EXPECT_EQ(found.ranks[1].mean_ns, 25);
    EXPECT_EQ(found.ranks[1].max_ns, 40);
    EXPECT_NEAR(found.ranks[1].last_share, 2.0 / 3, 1e-12);
    EXPECT_EQ(found.most_often_last, -1) << "two of three is chance";
}

TEST(Processes, ThatDifferBitByBitAreNoGroupAndNotAlike) {
    std::mt19937_64 random(5);
    std::vector<double> medians;
    for (int rank = 0; rank < 32; ++rank) {
        medians.push_back(1000.0 + 20 * rank);
    }
    const auto found = processes_of(made(random, medians, 200, 0.01), {});
    EXPECT_EQ(found.groups.size(), 1U);
    EXPECT_EQ(found.pattern, ProcessPattern::gradual);
}

TEST(Processes, OfATreeAreGroupedByItsLevels) {
    std::mt19937_64 random(3);
    std::vector<double> medians;
    for (unsigned rank = 0; rank < 16; ++rank) {
        medians.push_back(1000.0 * (1 + std::popcount(rank)));
    }
    const auto found = processes_of(made(random, medians, 200, 0.05), {});
    ASSERT_EQ(found.groups.size(), 5U);
    EXPECT_THAT(found.groups[0].ranks, ElementsAre(0));
    EXPECT_THAT(found.groups[1].ranks, ElementsAre(1, 2, 4, 8));
    EXPECT_THAT(found.groups[2].ranks, ElementsAre(3, 5, 6, 9, 10, 12));
    EXPECT_THAT(found.groups[3].ranks, ElementsAre(7, 11, 13, 14));
    EXPECT_THAT(found.groups[4].ranks, ElementsAre(15));
    EXPECT_EQ(found.ranks[6].group, 2);
    EXPECT_EQ(found.most_often_last, 15);
    EXPECT_EQ(found.pattern, ProcessPattern::grouped);
}

TEST(Processes, ThatDifferByChanceAloneAreOneGroupAndNobodyIsLastMostOften) {
    std::mt19937_64 random(5);
    int groups = 0;
    int last = 0;
    constexpr int trials = 200;
    for (int trial = 0; trial < trials; ++trial) {
        const auto found = processes_of(made(random, std::vector<double>(32, 1000), 60, 0.3), {});
        groups += found.groups.size() > 1 ? 1 : 0;
        last += found.most_often_last >= 0 ? 1 : 0;
    }
    EXPECT_LE(groups, trials / 20);
    EXPECT_LE(last, trials / 50);
}

TEST(Processes, AreTheSameWhereTheyDifferByLittle) {
    std::mt19937_64 random(7);
    const auto found = processes_of(made(random, {1000, 1030, 1000, 1030}, 2000, 0.02), {});
    EXPECT_EQ(found.groups.size(), 1U) << "3 % is sure, but of no interest";
    EXPECT_EQ(found.pattern, ProcessPattern::equal);
}

TEST(Processes, NameTheOneThatIsLastIfItIsOne) {
    std::mt19937_64 random(11);
    const auto one = processes_of(made(random, {1000, 1000, 1150, 1000}, 500, 0.2), {{2, "slow"}});
    EXPECT_EQ(one.most_often_last, 2);
    const auto two = processes_of(made(random, {1000, 1200, 1200, 1000}, 500, 0.2), {});
    EXPECT_EQ(two.most_often_last, -1) << "two share it";
}

TEST(Processes, AreNotBlamedForOneLongStretch) {
    // Rank 1 is last 40 times in a row, as in a disturbance, and else each as often.
    std::mt19937_64 random(13);
    Repetitions repetitions;
    for (int i = 0; i < 200; ++i) {
        const int last = i >= 100 && i < 140 ? 1 : static_cast<int>(random() % 4);
        repetitions.times.push_back(100);
        repetitions.last_ranks.push_back(last);
        for (int rank = 0; rank < 4; ++rank) {
            repetitions.by_rank[rank].push_back(100);
        }
    }
    EXPECT_EQ(processes_of(repetitions, {}).most_often_last, -1);
}

}  // namespace
}  // namespace fathom::analysis
