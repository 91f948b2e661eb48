#include "probe/loops/leaf_threads.hpp"

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <vector>

#include <gmock/gmock.h>

namespace fathom::probe {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

TEST(LeafThreads, WithoutOthersTheCallerWorksAlone) {
    LeafThreads threads(0, false);
    std::vector<int> seen;
    threads.perform([&](int thread) { seen.push_back(thread); });
    threads.alert();
    EXPECT_THAT(seen, ElementsAre(0));
}

class LeafThreadsWhere : public ::testing::TestWithParam<bool> {};

TEST_P(LeafThreadsWhere, EveryThreadWorksOnceAndThePieceEndsWithTheLast) {
    constexpr int others = 3;
    constexpr int pieces = 500;
    LeafThreads threads(others, GetParam());
    // Not atomic: what the threads have done is there when perform() returns, as ThreadSanitizer would say.
    std::vector<int> done(others + 1);
    for (int piece = 1; piece <= pieces; ++piece) {
        if (piece % 3 == 0) {
            threads.alert();
        }
        threads.perform([&](int thread) { ++done[static_cast<std::size_t>(thread)]; });
        ASSERT_THAT(done, Each(piece));
    }
}

TEST_P(LeafThreadsWhere, ThreadsWorkAtTheSameTime) {
    LeafThreads threads(2, GetParam());
    std::atomic<int> inside{0};
    threads.perform([&](int /*thread*/) {
        ++inside;
        while (inside.load() < 3) {
            std::this_thread::yield();
        }
    });
    EXPECT_EQ(inside.load(), 3);
}

TEST_P(LeafThreadsWhere, ThreadsThatFellAsleepWakeUp) {
    LeafThreads threads(2, GetParam());
    std::atomic<int> calls{0};
    for (int round = 0; round < 3; ++round) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        threads.perform([&](int /*thread*/) { ++calls; });
    }
    EXPECT_EQ(calls.load(), 9);
}

TEST_P(LeafThreadsWhere, AFailureIsThrownOnceAllHaveEnded) {
    LeafThreads threads(2, GetParam());
    std::vector<int> done(3);
    const auto fail_in = [&](int failing) {
        threads.perform([&, failing](int thread) {
            ++done[static_cast<std::size_t>(thread)];
            if (thread == failing) {
                throw std::runtime_error("thread " + std::to_string(thread));
            }
        });
    };
    EXPECT_THROW(fail_in(2), std::runtime_error);
    EXPECT_THROW(fail_in(0), std::runtime_error);
    EXPECT_NO_THROW(fail_in(-1));
    EXPECT_THAT(done, Each(3));
}

INSTANTIATE_TEST_SUITE_P(Cores, LeafThreadsWhere, ::testing::Bool(),
                         [](const auto& tested) { return tested.param ? "Shared" : "OfTheirOwn"; });

}  // namespace
}  // namespace fathom::probe
