#include "probe/start/dissemination.hpp"

#include <atomic>
#include <set>

#include <gtest/gtest.h>

#include "probe/fakes.hpp"

namespace fathom::probe {
namespace {

using PairOfRanks = std::pair<int, int>;  ///< to, from

/// Writes down with whom a rank would exchange, without doing it.
class Recorder : public fakes::FakeGroup {
  public:
    Recorder(int rank, int size) : FakeGroup(mail_, rank, size) {}
    void exchange_token(int to, int from) override { exchanges.emplace_back(to, from); }
    void send(int /*to*/, const std::string& /*text*/) override { FAIL() << "a barrier sends tokens only"; }

    std::vector<PairOfRanks> exchanges;

  private:
    fakes::Mail mail_;
};

std::vector<std::vector<PairOfRanks>> exchanges_of_all(int size) {
    std::vector<std::vector<PairOfRanks>> all;
    for (int rank = 0; rank < size; ++rank) {
        Recorder recorder(rank, size);
        DisseminationBarrier(recorder).align();
        all.push_back(recorder.exchanges);
    }
    return all;
}

std::size_t ceil_log2(int size) {
    std::size_t rounds = 0;
    while ((1 << rounds) < size) {
        ++rounds;
    }
    return rounds;
}

class DisseminationOf : public ::testing::TestWithParam<int> {};

TEST_P(DisseminationOf, TakesCeilLog2Rounds) {
    for (const auto& exchanges : exchanges_of_all(GetParam())) {
        EXPECT_EQ(exchanges.size(), ceil_log2(GetParam()));
    }
}

TEST_P(DisseminationOf, HasAReceiveForEverySendInTheSameRound) {
    const int size = GetParam();
    const auto all = exchanges_of_all(size);
    for (int rank = 0; rank < size; ++rank) {
        for (std::size_t round = 0; round < ceil_log2(size); ++round) {
            const auto [to, from] = all.at(static_cast<std::size_t>(rank)).at(round);
            ASSERT_GE(to, 0);
            ASSERT_LT(to, size);
            EXPECT_NE(to, rank) << "no rank needs to hear of itself";
            EXPECT_EQ(all.at(static_cast<std::size_t>(to)).at(round).second, rank);
            EXPECT_EQ(all.at(static_cast<std::size_t>(from)).at(round).first, rank);
        }
    }
}

TEST_P(DisseminationOf, LetsNoRankGoBeforeItHeardOfAll) {
    const int size = GetParam();
    const auto all = exchanges_of_all(size);
    std::vector<std::set<int>> heard(static_cast<std::size_t>(size));
    for (int rank = 0; rank < size; ++rank) {
        heard[static_cast<std::size_t>(rank)] = {rank};
    }
    for (std::size_t round = 0; round < ceil_log2(size); ++round) {
        const auto before = heard;
        for (std::size_t rank = 0; rank < heard.size(); ++rank) {
            const auto& news = before.at(static_cast<std::size_t>(all[rank].at(round).second));
            heard[rank].insert(news.begin(), news.end());
        }
    }
    for (const auto& ranks : heard) {
        EXPECT_EQ(ranks.size(), static_cast<std::size_t>(size));
    }
}

INSTANTIATE_TEST_SUITE_P(Ranks, DisseminationOf, ::testing::Range(1, 41));

TEST(Dissemination, HoldsBackThreadsUntilTheLastHasCome) {
    constexpr int size = 7;
    constexpr int turns = 50;
    fakes::Mail mail;
    std::atomic<int> arrived{0};
    std::atomic<int> early{0};
    fakes::on_all_ranks(size, mail, [&](fakes::FakeGroup& group) {
        DisseminationBarrier barrier(group);
        for (int turn = 1; turn <= turns; ++turn) {
            ++arrived;
            barrier.align();
            if (arrived < size * turn) {
                ++early;
            }
            barrier.align();  // no rank counts itself into the next turn before all have looked
        }
    });
    EXPECT_EQ(early, 0);
    EXPECT_TRUE(mail.empty());
}

TEST(Dissemination, DoesNotOverflowWithTheMostRanks) {
    Recorder recorder(INT32_MAX - 1, INT32_MAX);
    DisseminationBarrier(recorder).align();
    ASSERT_EQ(recorder.exchanges.size(), 31U);
    for (const auto& [to, from] : recorder.exchanges) {
        EXPECT_GE(to, 0);
        EXPECT_GE(from, 0);
    }
    EXPECT_EQ(recorder.exchanges.back(), (PairOfRanks{(1 << 30) - 1, INT32_MAX - 1 - (1 << 30)}));
}

}  // namespace
}  // namespace fathom::probe
