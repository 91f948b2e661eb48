#include "analysis/samples/undisturbed.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fathom::analysis {
namespace {

using ::testing::ElementsAre;

/// Five repetitions of 10 ns, one every 20 ns.
Repetitions five() {
    Repetitions repetitions;
    for (std::int64_t i = 0; i < 5; ++i) {
        repetitions.times.push_back(static_cast<double>(10 + i));
        repetitions.when.push_back({.start = 0, .begin = {20 * i}, .end = {20 * i + 10}});
        repetitions.last_ranks.push_back(static_cast<int>(i));
        repetitions.skews.push_back(static_cast<double>(i));
        repetitions.by_rank[0].push_back(static_cast<double>(i));
    }
    repetitions.by_rank[1] = {1, 2};
    return repetitions;
}

EvidenceWindow window(std::int64_t begin, std::int64_t end, const journal::Counts& counts) {
    return {.rank = 0, .when = {.start = 0, .begin = {begin}, .end = {end}}, .counts = counts};
}

TEST(Preempted, AreRepetitionsBetweenTwoReadingsWithAPreemption) {
    Evidence evidence;
    evidence.windows = {window(15, 45, {.preempted = 1}), window(80, 85, {.waited_ns = 7})};
    EXPECT_THAT(preempted(five(), evidence), ElementsAre(false, true, true, false, true));
}

TEST(Preempted, AreNotThoseWithOtherEvents) {
    Evidence evidence;
    evidence.windows = {window(0, 100, {.blocked = 3, .minor_faults = 1, .migrations = 1})};
    EXPECT_THAT(preempted(five(), evidence), ElementsAre(false, false, false, false, false));
}

TEST(Preempted, AreUnknownWithoutAClock) {
    auto repetitions = five();
    repetitions.when.clear();
    Evidence evidence;
    evidence.windows = {window(0, 100, {.preempted = 1})};
    EXPECT_THAT(preempted(repetitions, evidence), ElementsAre(false, false, false, false, false));
}

TEST(Without, LeavesOutWhatIsMarkedEverywhere) {
    const auto kept = without(five(), {false, true, true, false, false});
    EXPECT_THAT(kept.times, ElementsAre(10, 13, 14));
    EXPECT_THAT(kept.last_ranks, ElementsAre(0, 3, 4));
    EXPECT_THAT(kept.skews, ElementsAre(0, 3, 4));
    EXPECT_THAT(kept.by_rank.at(0), ElementsAre(0, 3, 4));
    EXPECT_THAT(kept.by_rank.at(1), ElementsAre(1, 2)) << "it does not run parallel to the times";
    EXPECT_EQ(kept.when.size(), 3U);
    EXPECT_EQ(kept.set_aside, 2);
}

}  // namespace
}  // namespace fathom::analysis
