#include "analysis/point/explanation.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fathom::analysis {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::int64_t us = 1'000;

/// 10 000 repetitions of about 10 us; those in the set take 500 us.
Repetitions repetitions_with(const std::set<std::size_t>& slow, double slow_ns = 500'000) {
    std::mt19937_64 random(3);
    std::normal_distribution<double> body(10'000, 100);
    Repetitions repetitions;
    Nanoseconds at{0};
    for (std::size_t i = 0; i < 10'000; ++i) {
        const double time = slow.contains(i) ? slow_ns : body(random);
        const Nanoseconds end{at.count + std::llround(time)};
        repetitions.times.push_back(time);
        repetitions.when.push_back({.start = 0, .begin = at, .end = end});
        at = end + Nanoseconds{1 * us};
    }
    return repetitions;
}

Evidence counters() {
    Evidence evidence;
    evidence.counted = true;
    evidence.network = true;
    evidence.hosts = {{0, "h0"}, {1, "h1"}};
    evidence.readings = 1000;
    evidence.spent = {200 * us};
    evidence.measured = {100'000 * us};
    return evidence;
}

/// Something counted on a rank from the begin of one repetition to the end of another.
void count(Evidence& evidence, const Repetitions& repetitions, std::size_t first, std::size_t last, int rank,
           const journal::Counts& counts) {
    evidence.windows.push_back(
        {.rank = rank,
         .when = {.start = 0, .begin = repetitions.when[first].begin, .end = repetitions.when[last].end},
         .counts = counts});
}

journal::Counts counted(std::int64_t journal::Counts::*what, std::int64_t times = 1) {
    journal::Counts counts;
    counts.*what = times;
    return counts;
}

std::set<std::size_t> every(std::size_t step) {
    std::set<std::size_t> found;
    for (std::size_t i = step / 2; i < 10'000; i += step) {
        found.insert(i);
    }
    return found;
}

TEST(Explanation, NamesTheCauseThatSlowRepetitionsCoincideWithAndWhere) {
    const auto slow = every(500);
    const auto repetitions = repetitions_with(slow);
    auto evidence = counters();
    for (const auto rep : slow) {
        count(evidence, repetitions, rep - 8, rep, 1, counted(&journal::Counts::preempted));
    }
    const auto found = explanation_of(repetitions, evidence, {});
    EXPECT_EQ(found.slow, 20);
    ASSERT_THAT(found.causes, SizeIs(1));
    EXPECT_EQ(to_text(found.causes[0].kind), "preempted");
    EXPECT_EQ(found.causes[0].rank, 1);
    EXPECT_EQ(found.causes[0].host, "h1");
    EXPECT_EQ(found.causes[0].reps, 20);
    EXPECT_EQ(found.causes[0].events, 20);
    EXPECT_EQ(found.unexplained, 0);
}

TEST(Explanation, NamesNoneWhereNothingWasCounted) {
    const auto found = explanation_of(repetitions_with(every(500)), counters(), {});
    EXPECT_EQ(found.slow, 20);
    EXPECT_EQ(found.unexplained, 20);
    EXPECT_THAT(found.causes, IsEmpty());
    EXPECT_TRUE(found.counted);
}

TEST(Explanation, SaysWhereNothingCouldBeCounted) {
    const auto found = explanation_of(repetitions_with(every(500)), Evidence{}, {});
    EXPECT_THAT(found.causes, IsEmpty());
    EXPECT_FALSE(found.counted);
}

TEST(Explanation, FindsNothingSlowInAPlainBody) {
    EXPECT_EQ(explanation_of(repetitions_with({}), counters(), {}).slow, 0);
}

TEST(Explanation, NamesNothingThatEveryRepetitionHas) {
    const auto repetitions = repetitions_with(every(500));
    auto evidence = counters();
    for (std::size_t rep = 0; rep < 10'000; ++rep) {
        count(evidence, repetitions, rep, rep, 0, counted(&journal::Counts::blocked, 2));
    }
    EXPECT_THAT(explanation_of(repetitions, evidence, {}).causes, IsEmpty());
}

TEST(Explanation, NamesNothingForWhatLongRepetitionsMeetByTheirLength) {
    // Page faults come by the clock, one in 2 ms: a repetition of 20 ms meets ten of them.
    const auto slow = every(1000);
    const auto repetitions = repetitions_with(slow, 20e6);
    auto evidence = counters();
    for (std::int64_t at = 0; at < repetitions.when.back().end.count; at += 2'000 * us) {
        evidence.windows.push_back({.rank = 0,
                                    .when = {.start = 0, .begin = {at}, .end = {at + 10 * us}},
                                    .counts = counted(&journal::Counts::minor_faults)});
    }
    EXPECT_THAT(explanation_of(repetitions, evidence, {}).causes, IsEmpty());
}

TEST(Explanation, IsWrongByChanceInFewPointsOnly) {
    // Random events in 2 % of the time and random slow repetitions: 200 points without a cause.
    int named = 0;
    for (unsigned seed = 1; seed <= 200; ++seed) {
        std::mt19937_64 random(seed);
        std::uniform_int_distribution<std::size_t> any(10, 9'990);
        std::set<std::size_t> slow;
        while (slow.size() < 20) {
            slow.insert(any(random));
        }
        const auto repetitions = repetitions_with(slow, 30'000);
        auto evidence = counters();
        for (int i = 0; i < 20; ++i) {
            const auto first = any(random);
            count(evidence, repetitions, first, first + 9, i % 2, counted(&journal::Counts::preempted));
        }
        std::sort(evidence.windows.begin(), evidence.windows.end(),
                  [](const auto& a, const auto& b) { return a.when.begin < b.when.begin; });
        named += explanation_of(repetitions, evidence, {}).causes.empty() ? 0 : 1;
    }
    EXPECT_LE(named, 6) << "1 % is asked for: 2 of 200, and chance may make it 6";
}

TEST(Explanation, LetsOneEventExplainOneRepetition) {
    std::set<std::size_t> slow;
    for (std::size_t i = 100; i < 140; ++i) {
        slow.insert(i);
    }
    const auto repetitions = repetitions_with(slow);
    auto evidence = counters();
    count(evidence, repetitions, 100, 139, 0, counted(&journal::Counts::migrations, 3));
    const auto found = explanation_of(repetitions, evidence, {});
    EXPECT_GE(found.unexplained, 37);
}

TEST(Explanation, TakesTheStrongerOfTwoCauses) {
    const auto slow = every(500);
    const auto repetitions = repetitions_with(slow, 210e6);
    auto evidence = counters();
    std::size_t number = 0;
    for (const auto rep : slow) {
        count(evidence, repetitions, rep, rep, 0, counted(&journal::Counts::blocked));
        if (++number > 3) {
            count(evidence, repetitions, rep, rep, 1, counted(&journal::Counts::tcp_timeouts));
        }
    }
    Timeouts timeouts;
    timeouts.rto_ns = 200e6;
    const auto found = explanation_of(repetitions, evidence, timeouts);
    ASSERT_THAT(found.causes, SizeIs(2));
    EXPECT_EQ(to_text(found.causes[0].kind), "tcp-timeout");
    EXPECT_EQ(found.causes[0].host, "h1");
    EXPECT_FALSE(found.causes[0].rank) << "the network counts for a host";
    EXPECT_EQ(found.causes[0].reps, 17);
    EXPECT_EQ(to_text(found.causes[1].kind), "blocked");
    EXPECT_EQ(found.causes[1].reps, 3);
    EXPECT_EQ(found.unexplained, 0);
}

TEST(Explanation, NamesTheRankThatWaitedForItsProcessorAsLongAsTheDelay) {
    const auto slow = every(200);
    const auto repetitions = repetitions_with(slow);
    auto evidence = counters();
    for (const auto i : slow) {
        // Both ranks are preempted in each of them, one of them only briefly.
        count(evidence, repetitions, i, i, 0, {.preempted = 2, .waited_ns = 3 * us});
        count(evidence, repetitions, i, i, 1, {.preempted = 1, .waited_ns = 450 * us});
    }
    const auto found = explanation_of(repetitions, evidence, {});
    ASSERT_THAT(found.causes, SizeIs(1));
    EXPECT_EQ(found.causes[0].rank, 1);
    EXPECT_EQ(found.causes[0].host, "h1");
    EXPECT_EQ(found.causes[0].reps, 50);
    EXPECT_EQ(found.unexplained, 0);
}

TEST(Explanation, DoesNotTakeAMomentWithoutTheProcessorForALongDelay) {
    const auto slow = every(200);
    const auto repetitions = repetitions_with(slow);
    auto evidence = counters();
    for (const auto i : slow) {
        count(evidence, repetitions, i, i, 0, {.preempted = 2, .waited_ns = 3 * us});
    }
    EXPECT_THAT(explanation_of(repetitions, evidence, {}).causes, IsEmpty());
}

TEST(Explanation, NamesARetransmissionByTheRepetitionThatFillsTheTimeBetweenReadings) {
    const auto slow = every(500);
    const auto repetitions = repetitions_with(slow, 3e6);
    auto evidence = counters();
    for (const auto rep : slow) {
        // The readings before and after lie so far apart that together they cover all repetitions.
        count(evidence, repetitions, rep - 249, rep, 0, counted(&journal::Counts::tcp_retransmits));
    }
    const auto found = explanation_of(repetitions, evidence, {});
    ASSERT_THAT(found.causes, SizeIs(1));
    EXPECT_EQ(to_text(found.causes[0].kind), "tcp-retransmit");
    EXPECT_EQ(found.causes[0].reps, 20);
}

TEST(Explanation, NamesNoTimeOutForWhatIsShorterThanOne) {
    const auto slow = every(500);
    const auto repetitions = repetitions_with(slow);
    auto evidence = counters();
    for (const auto rep : slow) {
        count(evidence, repetitions, rep, rep, 0, counted(&journal::Counts::tcp_timeouts));
    }
    Timeouts timeouts;
    timeouts.rto_ns = 200e6;
    EXPECT_THAT(explanation_of(repetitions, evidence, timeouts).causes, IsEmpty());
}

TEST(Explanation, NamesTimeoutsWhereTheyWereFound) {
    auto repetitions = repetitions_with(every(500), 210e6);
    // Slow for another reason, next to one with a timeout that both ends of the connection counted.
    const std::size_t late = *every(500).begin();
    repetitions.times[late + 1] = 150e6;
    for (auto i = late + 1; i < repetitions.when.size(); ++i) {
        repetitions.when[i].end = repetitions.when[i].end + Nanoseconds{150'000 * us};
        if (i > late + 1) {
            repetitions.when[i].begin = repetitions.when[i].begin + Nanoseconds{150'000 * us};
        }
    }
    auto evidence = counters();
    for (const auto rep : every(500)) {
        count(evidence, repetitions, rep, rep + 1, 0, counted(&journal::Counts::tcp_timeouts, 2));
    }
    Timeouts timeouts;
    timeouts.rto_ns = 200e6;
    EXPECT_EQ(explanation_of(repetitions, evidence, timeouts).causes.at(0).reps, 21)
        << "by their length alone";
    timeouts.delayed.resize(repetitions.times.size());
    for (const auto rep : every(500)) {
        timeouts.delayed[rep] = true;
    }
    EXPECT_EQ(explanation_of(repetitions, evidence, timeouts).causes.at(0).reps, 20);
}

TEST(Explanation, StatesWhatReadingsCost) {
    const auto found = explanation_of(repetitions_with({}), counters(), {});
    EXPECT_DOUBLE_EQ(found.cost_per_reading_ns, 200);
    EXPECT_DOUBLE_EQ(found.cost_share, 0.002);
}

}  // namespace
}  // namespace fathom::analysis
