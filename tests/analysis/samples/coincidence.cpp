#include "analysis/samples/coincidence.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "stats/random.hpp"
#include "stats/student.hpp"

namespace fathom::analysis {
namespace {

/// Repetitions of 10 ns with 10 ns between them: 0-10, 20-30, 40-50 ... in each of two launches.
Repetitions in_two_starts(std::size_t each) {
    Repetitions found;
    for (const int start : {0, 1}) {
        for (std::size_t i = 0; i < each; ++i) {
            const auto begin = static_cast<std::int64_t>(20 * i);
            found.times.push_back(10);
            found.when.push_back({.start = start, .begin = {begin}, .end = {begin + 10}});
        }
    }
    return found;
}

TEST(SlowThreshold, IsHalfOfTheMedianAboveItWhereTimesHardlyDiffer) {
    EXPECT_DOUBLE_EQ(slow_threshold(std::vector<double>(20, 1'000)), 1'500);
    EXPECT_DOUBLE_EQ(slow_threshold({1'000, 999, 1'001, 1'000, 90'000}), 1'500);
    EXPECT_DOUBLE_EQ(slow_threshold({7}), 10.5);
    EXPECT_DOUBLE_EQ(slow_threshold(std::vector<double>(20, 0)), 0);
}

TEST(SlowThreshold, IsTenDeviationsAboveTheMedianWhereTheyDo) {
    // The median is 1000, and the median distance from it 100.
    EXPECT_DOUBLE_EQ(slow_threshold({800, 900, 1'000, 1'100, 1'200}), 1'000 + 1'000 * stats::mad_to_sigma);
    EXPECT_DOUBLE_EQ(slow_threshold({800, 900, 1'000, 1'100, 1e9}), 1'000 + 1'000 * stats::mad_to_sigma)
        << "one far away moves nothing";
}

TEST(SlowThreshold, CallsNoneSlowOfAHundredThousandTimesOfABody) {
    stats::Random random(1);
    for (const double deviation : {0.001, 0.02, 0.1}) {
        std::vector<double> times(100'000);
        std::generate(times.begin(), times.end(), [&] { return 1'000 * (1 + deviation * random.normal()); });
        const double slow = slow_threshold(times);
        EXPECT_EQ(std::count_if(times.begin(), times.end(), [&](double time) { return time > slow; }), 0)
            << deviation;
    }
}

TEST(WholeTimes, AreTimesThePartsOfARepetition) {
    Repetitions halves;
    halves.times = {10, 20};
    halves.parts = 2;
    EXPECT_EQ(whole_times(halves), (std::vector<double>{20, 40}));
}

TEST(RepetitionsInTime, AreThoseThatOverlapAStretchOfTheirStart) {
    const auto repetitions = in_two_starts(5);
    const RepetitionsInTime in_time(repetitions);
    const auto during = [&](int start, std::int64_t begin, std::int64_t end) {
        const auto range = in_time.during({.start = start, .begin = {begin}, .end = {end}});
        return range.empty() ? std::pair<std::size_t, std::size_t>{0, 0} : std::pair{range.first, range.end};
    };
    using Range = std::pair<std::size_t, std::size_t>;
    EXPECT_EQ(during(0, 25, 45), (Range{1, 3}));
    EXPECT_EQ(during(1, 25, 45), (Range{6, 8})) << "the same time in the second start";
    EXPECT_EQ(during(0, 10, 20), (Range{0, 0})) << "between two; touching is no overlap";
    EXPECT_EQ(during(0, -100, 1'000), (Range{0, 5}));
    EXPECT_EQ(during(2, 0, 1'000), (Range{0, 0})) << "there was no third start";
    EXPECT_EQ(in_time.overlap(1, {.start = 0, .begin = {25}, .end = {45}}).count, 5);
    EXPECT_EQ(in_time.overlap(1, {.start = 0, .begin = {0}, .end = {100}}).count, 10);
}

TEST(RepetitionsInTime, AreNoneWithoutAClock) {
    Repetitions repetitions;
    repetitions.times = {10, 20};
    EXPECT_TRUE(RepetitionsInTime(repetitions).during({.start = 0, .begin = {0}, .end = {100}}).empty());
}

}  // namespace
}  // namespace fathom::analysis
