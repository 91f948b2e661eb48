#include "analysis/point/timeouts.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fathom::analysis {
namespace {

constexpr double ms = 1e6;
constexpr double rto = 200 * ms;

/// Repetitions that follow each other without a gap, each as long as its time.
Repetitions repetitions_of(const std::vector<double>& times) {
    Repetitions repetitions;
    repetitions.times = times;
    Nanoseconds at{0};
    for (const auto time : times) {
        const Nanoseconds end{at.count + std::llround(time)};
        repetitions.when.push_back({.start = 0, .begin = at, .end = end});
        at = end;
    }
    return repetitions;
}

/// A log-normal body around some milliseconds, with given numbers of repetitions that take one, two or more
/// timeouts longer.
std::vector<double> times_with(std::int64_t reps, const std::map<int, std::int64_t>& units,
                               double median_ns = 10 * ms, double spread = 0.3) {
    std::mt19937_64 random(7);
    std::lognormal_distribution<double> body(std::log(median_ns), spread);
    std::vector<double> times;
    for (std::int64_t i = 0; i < reps; ++i) {
        times.push_back(body(random));
    }
    std::size_t at = 3;
    for (const auto& [count, some] : units) {
        for (std::int64_t i = 0; i < some; ++i) {
            times[at % times.size()] += count * rto;
            at += 3;
        }
    }
    return times;
}

Evidence timeout_counters() {
    Evidence evidence;
    evidence.counted = true;
    evidence.network = true;
    evidence.hosts = {{0, "h0"}, {1, "h1"}};
    evidence.rto = Nanoseconds{std::llround(rto)};
    return evidence;
}

/// What the reader on a rank's host counted during one repetition.
void count(Evidence& evidence, const Repetitions& repetitions, std::size_t rep, int rank,
           std::int64_t timeouts, std::int64_t retransmits = 0) {
    EvidenceWindow window;
    window.rank = rank;
    window.when = repetitions.when[rep];
    window.counts.tcp_timeouts = timeouts;
    window.counts.tcp_retransmits = timeouts + retransmits;
    evidence.windows.push_back(window);
}

/// Shares of repetitions with 0, 1, 2 and more timeouts, in per cent.
std::vector<double> shares_of(const Timeouts& found) {
    std::vector<double> shares;
    for (const auto* name : {"none", "1", "2", "3+"}) {
        for (const auto& in : found.classes) {
            if (to_text(in.kind) == name) {
                shares.push_back(100 * in.share);
            }
        }
    }
    return shares;
}

struct Row {
    std::int64_t ones;  ///< of 10 000 repetitions
    std::int64_t twos;
};

TEST(Timeouts, GiveTheSharesOfTable5_6BackFromTimesThatHaveThem) {
    for (const auto& [ones, twos] : {Row{0, 0}, Row{99, 1}, Row{2130, 29}, Row{1470, 1}, Row{2690, 4}}) {
        const auto found =
            timeouts_of(repetitions_of(times_with(10'000, {{1, ones}, {2, twos}})), Evidence{}, true);
        EXPECT_EQ(to_text(found.status), ones > 0 ? "found" : "none");
        const auto some = static_cast<double>(ones);
        const auto few = static_cast<double>(twos);
        EXPECT_THAT(shares_of(found),
                    ::testing::Pointwise(::testing::DoubleNear(1e-9),
                                         {100 - (some + few) / 100, some / 100, few / 100, 0.0}));
        EXPECT_EQ(found.inferred, ones + 2 * twos);
    }
}

TEST(Timeouts, SayWhatTheMeanWouldBeWithoutThem) {
    const auto times = times_with(1000, {{1, 100}});
    const auto found = timeouts_of(repetitions_of(times), Evidence{}, true);
    ASSERT_TRUE(found.mean_without_ns);
    EXPECT_NEAR(found.mean_ns - *found.mean_without_ns, 20 * ms, 0.5 * ms)
        << "a tenth of them had one of 200 ms";
    EXPECT_NEAR(*found.mean_without_ns, 10 * ms * std::exp(0.045), 0.5 * ms)
        << "the mean of the log-normal body";
}

TEST(Timeouts, TakeTheConnectionsTimeOutBeforeTheKernelsBeforeAGuess) {
    const auto times = repetitions_of(times_with(100, {}));
    Evidence evidence;
    EXPECT_EQ(to_text(timeouts_of(times, evidence, true).rto_from), "guessed");
    evidence.rto_min = Nanoseconds{40'000'000};
    EXPECT_EQ(to_text(timeouts_of(times, evidence, true).rto_from), "kernel");
    evidence.rto = Nanoseconds{44'000'000};
    const auto found = timeouts_of(times, evidence, true);
    EXPECT_EQ(to_text(found.rto_from), "connection");
    EXPECT_EQ(found.rto_ns, 44 * ms);
}

TEST(Timeouts, AreEstimatedWhereNothingTellsThem) {
    auto times = times_with(1000, {}, 1 * ms, 0.1);
    for (std::size_t i = 0; i < 20; ++i) {
        times[50 * i] += 60 * ms;
    }
    const auto found = timeouts_of(repetitions_of(times), Evidence{}, true);
    EXPECT_EQ(to_text(found.rto_from), "estimated");
    EXPECT_NEAR(found.rto_ns, 60 * ms, 1 * ms);
    EXPECT_EQ(found.inferred, 20);
}

TEST(Timeouts, OfOneSegmentDouble) {
    // 600 ms is one segment lost twice where single losses are so rare that three would hardly meet.
    const auto found =
        timeouts_of(repetitions_of(times_with(10'000, {{1, 20}, {3, 2}, {7, 1}})), Evidence{}, true);
    EXPECT_EQ(found.inferred, 20 + 2 * 2 + 3);
    EXPECT_EQ(found.classes[3].reps, 2);
    EXPECT_EQ(found.classes[4].reps, 1);
}

TEST(Timeouts, OfDifferentSegmentsAddUpWhereTheyAreFrequent) {
    // 40 % with one: three in one repetition are expected 107 times in 10 000.
    const auto found =
        timeouts_of(repetitions_of(times_with(10'000, {{1, 4000}, {2, 800}, {3, 100}})), Evidence{}, true);
    EXPECT_EQ(found.inferred, 4000 + 2 * 800 + 3 * 100);
}

TEST(Timeouts, AreAsManyAsTheKernelCountedWhereTimesLeaveTwoReadings) {
    const auto repetitions = repetitions_of(times_with(1000, {{3, 2}}));
    auto evidence = timeout_counters();
    count(evidence, repetitions, 3, 0, 3);
    count(evidence, repetitions, 6, 0, 2);
    const auto found = timeouts_of(repetitions, evidence, true);
    EXPECT_EQ(found.inferred, 5) << "600 ms are three of different segments here, and two of one there";
    EXPECT_EQ(found.counted, 5);
    EXPECT_EQ(found.classes[3].reps, 1);
    EXPECT_EQ(found.classes[4].reps, 1);
}

TEST(Timeouts, AreNotTheProbesThatWaitedAsLong) {
    // A probe that is lost too is followed by a timeout: two waits, of which one is counted.
    const auto repetitions = repetitions_of(times_with(200, {{2, 5}}));
    auto evidence = timeout_counters();
    for (std::size_t i = 0; i < repetitions.times.size(); ++i) {
        if (repetitions.times[i] > rto) {
            count(evidence, repetitions, i, 0, 1);
            evidence.windows.back().counts.tcp_probes = 1;
        }
    }
    const auto found = timeouts_of(repetitions, evidence, true);
    EXPECT_EQ(found.counted, 5);
    EXPECT_EQ(found.inferred, 5);
    EXPECT_EQ(found.classes[2].reps, 5) << "one timeout each";
    for (auto& window : evidence.windows) {
        window.counts.tcp_probes = 0;
    }
    EXPECT_EQ(timeouts_of(repetitions, evidence, true).inferred, 10) << "no probe explains the second wait";
}

TEST(Timeouts, OfSeveralRepetitionsBetweenTwoReadingsAreSharedOut) {
    const auto repetitions = repetitions_of(times_with(1000, {{1, 3}}));
    auto evidence = timeout_counters();
    count(evidence, repetitions, 3, 0, 3);
    evidence.windows.back().when.end = repetitions.when[9].end;
    const auto found = timeouts_of(repetitions, evidence, true);
    EXPECT_EQ(found.inferred, 3);
    EXPECT_EQ(found.counted, 3);
    EXPECT_EQ(found.classes[2].reps, 3);
}

TEST(Timeouts, OfMessagesBetweenRepetitionsAreNotTheirs) {
    auto repetitions = repetitions_of(times_with(1000, {{1, 1}}));
    for (std::size_t i = 4; i < repetitions.when.size(); ++i) {  // the next start had to wait for another one
        repetitions.when[i].begin.count += std::llround(rto);
        repetitions.when[i].end.count += std::llround(rto);
    }
    auto evidence = timeout_counters();
    count(evidence, repetitions, 3, 0, 2);
    evidence.windows.back().when.end = repetitions.when[4].end;
    const auto found = timeouts_of(repetitions, evidence, true);
    EXPECT_EQ(found.inferred, 1);
    EXPECT_EQ(found.counted, 1);
    EXPECT_EQ(found.counted_outside, 1);
    EXPECT_THAT(found.counted_on, ::testing::ElementsAre(::testing::Pair("h0", 1)));
}

TEST(Timeouts, OfSeveralConnectionsAtOnceAreAllCounted) {
    const auto repetitions = repetitions_of(times_with(1000, {{1, 1}}));
    auto evidence = timeout_counters();
    count(evidence, repetitions, 3, 0, 2);
    const auto found = timeouts_of(repetitions, evidence, true);
    EXPECT_EQ(found.inferred, 1);
    EXPECT_EQ(found.counted, 2) << "there was no time for one outside";
    EXPECT_EQ(found.counted_outside, 0);
}

TEST(Timeouts, OfBothEndsAtOnceDelayOnce) {
    const auto repetitions = repetitions_of(times_with(1000, {{1, 2}}));
    auto evidence = timeout_counters();
    for (const std::size_t rep : {3U, 6U}) {
        count(evidence, repetitions, rep, 0, 1);
        count(evidence, repetitions, rep, 1, 1);
    }
    const auto found = timeouts_of(repetitions, evidence, true);
    EXPECT_EQ(found.inferred, 2);
    EXPECT_EQ(found.counted, 2);
    EXPECT_THAT(found.counted_on, ::testing::ElementsAre(::testing::Pair("h0", 2), ::testing::Pair("h1", 2)));
}

TEST(Timeouts, AreNoneWhereTheKernelCountedNoneWhateverTheTimesLookLike) {
    const auto repetitions = repetitions_of(times_with(1000, {{1, 10}}));
    const auto found = timeouts_of(repetitions, timeout_counters(), true);
    EXPECT_EQ(to_text(found.status), "none");
    EXPECT_EQ(found.inferred, 0);
    EXPECT_EQ(found.classes[0].reps, 1000);
    const auto looks = timeouts_of(repetitions, Evidence{}, true);
    EXPECT_EQ(to_text(looks.status), "found");
    EXPECT_FALSE(looks.certain);
}

TEST(Timeouts, ThatDelayedNothingAreToldApart) {
    const auto repetitions = repetitions_of(times_with(1000, {{1, 1}}));
    auto evidence = timeout_counters();
    count(evidence, repetitions, 3, 0, 1);
    count(evidence, repetitions, 500, 0, 4);
    const auto found = timeouts_of(repetitions, evidence, true);
    EXPECT_EQ(found.counted, 1);
    EXPECT_EQ(found.counted_outside, 4);
    EXPECT_EQ(found.inferred, 1);
}

TEST(Timeouts, AreNotWhatWasRepairedBefore) {
    auto times = times_with(1000, {}, 1 * ms, 0.05);
    times[10] += 8 * ms;
    times[20] += 8 * ms;
    const auto repetitions = repetitions_of(times);
    auto evidence = timeout_counters();
    count(evidence, repetitions, 10, 0, 0, 1);
    const auto found = timeouts_of(repetitions, evidence, true);
    EXPECT_EQ(to_text(found.status), "none");
    EXPECT_EQ(found.classes[1].kind, TimeoutKind::repaired);
    EXPECT_EQ(found.classes[1].reps, 1) << "not the other one, for which no counter speaks";
    EXPECT_NEAR(found.classes[1].from_ns, times[10], 1);
}

TEST(Timeouts, DoNotTakeOtherDelaysForThemselves) {
    auto times = times_with(1000, {{1, 5}}, 1 * ms, 0.1);
    times[100] += 130 * ms;
    times[200] += 330 * ms;
    const auto found = timeouts_of(repetitions_of(times), Evidence{}, true);
    EXPECT_EQ(found.inferred, 5);
    EXPECT_EQ(found.classes[0].reps, 995);
}

TEST(Timeouts, CannotBeIdentifiedInABroadDistribution) {
    std::mt19937_64 random(11);
    std::lognormal_distribution<double> broad(std::log(900 * ms), 0.5);
    std::vector<double> times;
    for (int i = 0; i < 2000; ++i) {
        times.push_back(broad(random));
    }
    const auto found = timeouts_of(repetitions_of(times), Evidence{}, true);
    EXPECT_EQ(to_text(found.status), "unclear");
    EXPECT_TRUE(found.classes.empty());
}

TEST(Timeouts, AreFoundWhereMostRepetitionsHaveOne) {
    const auto found =
        timeouts_of(repetitions_of(times_with(1000, {{1, 600}, {2, 200}}, 100e3, 0.05)), Evidence{}, true);
    EXPECT_EQ(to_text(found.status), "found");
    EXPECT_THAT(shares_of(found), ::testing::ElementsAre(20, 60, 20, 0));
}

TEST(Timeouts, AreNotClaimedOfAnOperationThatTakesAsLong) {
    std::mt19937_64 random(12);
    std::uniform_real_distribution<double> broad(100 * ms, 2000 * ms);
    std::vector<double> times;
    for (int i = 0; i < 2000; ++i) {
        times.push_back(broad(random));
    }
    EXPECT_EQ(to_text(timeouts_of(repetitions_of(times), Evidence{}, true).status), "unclear");
}

TEST(Timeouts, CannotBeIdentifiedWhereTheBodyReachesThem) {
    const auto found =
        timeouts_of(repetitions_of(times_with(5000, {{1, 500}}, 60 * ms, 0.8)), Evidence{}, true);
    EXPECT_EQ(to_text(found.status), "unclear");
}

/// As alltoall of 16 KiB among 6 hosts of 100 Mbit/s with queues of 16 KiB: 18 ms without a timeout, and most
/// have one, of which a part passes while other connections go on, so that they take 208 to 264 ms; two take
/// about 460.
std::vector<double> times_of_alltoall() {
    std::mt19937_64 random(5);
    std::uniform_real_distribution<double> body(17.6 * ms, 32 * ms);
    std::uniform_real_distribution<double> once(208 * ms, 264 * ms);
    std::uniform_real_distribution<double> twice(430 * ms, 462 * ms);
    std::vector<double> times;
    for (int i = 0; i < 100; ++i) {
        times.push_back(i % 5 == 0 ? body(random) : i % 50 == 3 ? twice(random) : once(random));
    }
    return times;
}

TEST(Timeouts, AreFoundWherePartOfThemPassesWhileOtherConnectionsGoOn) {
    const auto repetitions = repetitions_of(times_of_alltoall());
    const auto alone = timeouts_of(repetitions, Evidence{}, true);
    EXPECT_EQ(to_text(alone.status), "found") << "by the times alone";
    EXPECT_THAT(shares_of(alone), ::testing::Pointwise(::testing::DoubleNear(1e-9), {20.0, 78.0, 2.0, 0.0}));
    auto evidence = timeout_counters();
    evidence.rto = Nanoseconds{204'000'000};
    for (std::size_t i = 0; i < repetitions.times.size(); ++i) {
        const auto had = repetitions.times[i] > 400 * ms ? 2 : repetitions.times[i] > 200 * ms ? 1 : 0;
        if (had > 0) {
            count(evidence, repetitions, i, 0, had);
        }
    }
    const auto counted = timeouts_of(repetitions, evidence, true);
    EXPECT_EQ(to_text(counted.status), "found");
    EXPECT_TRUE(counted.certain);
    EXPECT_EQ(counted.inferred, 82);
    EXPECT_EQ(counted.counted, 82);
    EXPECT_EQ(counted.counted_outside, 0);
    EXPECT_LT(counted.classes[0].to_ns, 33 * ms);
    EXPECT_GE(counted.classes[2].from_ns, 208 * ms);
}

TEST(Timeouts, ThatAllRepetitionsHadAreFoundByCounters) {
    std::mt19937_64 random(6);
    std::uniform_real_distribution<double> once(208 * ms, 290 * ms);
    std::vector<double> times;
    for (int i = 0; i < 50; ++i) {
        times.push_back(once(random) + (i % 10 == 0 ? 204 * ms : 0));
    }
    const auto repetitions = repetitions_of(times);
    auto evidence = timeout_counters();
    for (std::size_t i = 0; i < times.size(); ++i) {
        count(evidence, repetitions, i, static_cast<int>(i % 2), i % 10 == 0 ? 2 : 1);
    }
    const auto found = timeouts_of(repetitions, evidence, true);
    EXPECT_EQ(to_text(found.status), "found");
    EXPECT_THAT(shares_of(found), ::testing::ElementsAre(0, 90, 10, 0));
    EXPECT_EQ(found.inferred, found.counted);
    EXPECT_FALSE(found.mean_without_ns) << "there is none without";
}

TEST(Timeouts, OfLongOperationsAreLongerByWholeOnes) {
    // The fastest takes more than two timeouts; the others' own ones come on top.
    const auto found =
        timeouts_of(repetitions_of(times_with(1000, {{1, 100}, {2, 10}}, 500 * ms, 0.01)), Evidence{}, true);
    EXPECT_EQ(found.inferred, 120);
    EXPECT_EQ(found.classes[2].reps, 100);
}

TEST(Timeouts, AreLookedForInWholeRepetitions) {
    // A ping-pong counts as half of its round trip.
    auto times = times_with(1000, {}, 0.1 * ms, 0.1);
    for (std::size_t i = 0; i < 10; ++i) {
        times[20 * i] += rto / 2;
    }
    auto repetitions = repetitions_of(times);
    repetitions.parts = 2;
    const auto found = timeouts_of(repetitions, Evidence{}, true);
    EXPECT_EQ(found.inferred, 10);
    EXPECT_NEAR(found.classes[2].from_ns, rto, 1 * ms);
}

TEST(Timeouts, AreNotLookedForWithoutTcp) {
    const auto found = timeouts_of(repetitions_of(times_with(100, {{1, 3}})), Evidence{}, false);
    EXPECT_EQ(to_text(found.status), "not-tcp");
    EXPECT_TRUE(found.classes.empty());
}

TEST(TimeoutsOf, MoreTimeoutsThanCanBeCountedEndsToo) {
    auto times = times_with(100, {});
    // A damaged file may claim a timeout of a nanosecond, of which the largest integer fits into 2.1 s.
    const double least = *std::min_element(times.begin(), times.end());
    times[3] = times[7] = least + 2'147'483'647;
    auto evidence = timeout_counters();
    evidence.rto = Nanoseconds{1};
    evidence.windows.push_back({.rank = 0,
                                .when = {.start = 0, .begin = {0}, .end = {std::int64_t{1} << 60}},
                                .counts = {.tcp_timeouts = 5}});
    const auto found = timeouts_of(repetitions_of(times), evidence, true);
    EXPECT_TRUE(found.certain);
}

}  // namespace
}  // namespace fathom::analysis
