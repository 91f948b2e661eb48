#include "analysis/samples/sample_time.hpp"

#include <gtest/gtest.h>

#include "store/sample_store.hpp"

namespace fathom::analysis {
namespace {

using journal::Sample;
using testing::point_spec;
using testing::SampleStore;

/// A point of several calls in a row, measured by ranks whose empty repetitions take 40 and 60 ns.
SampleTime time_of(const std::string& operation, std::int64_t calls) {
    SampleStore sample({point_spec(0, operation, 8)});
    sample.store.put(sample.job, journal::RankInfo{0, "h0", 10, "0", 40});
    sample.store.put(sample.job, journal::RankInfo{1, "h0", 11, "1", 60});
    sample.put({.index = 0, .status = journal::PointStatus::ok, .calls = calls}, {}, sample.job);
    return {sample.store, sample.store.point(sample.run, 0)};
}

Sample lasting(std::int64_t duration_ns) {
    return {.start = {1'000}, .duration = {duration_ns}, .valid = true};
}

TEST(SampleTime, LeavesOutWhatAnEmptyRepetitionTakesOnThatRank) {
    const auto time = time_of("bcast", 1);
    EXPECT_EQ(time.of(0, lasting(100)), 60);
    EXPECT_EQ(time.of(1, lasting(100)), 40);
    EXPECT_EQ(time.whole(1, lasting(100)), Nanoseconds{40});
    EXPECT_EQ(time.of(2, lasting(100)), 100) << "of a rank that said nothing";
}

TEST(SampleTime, IsNeverNegative) {
    EXPECT_EQ(time_of("bcast", 1).of(0, lasting(39)), 0);
    EXPECT_EQ(time_of("bcast", 1).of(0, lasting(40)), 0);
    EXPECT_EQ(time_of("bcast", 1).of(0, lasting(41)), 1);
}

TEST(SampleTime, IsThatOfOneCallInARow) {
    const auto time = time_of("bcast", 10);
    EXPECT_DOUBLE_EQ(time.of(0, lasting(1'045)), 100.5) << "the time stamps count once";
    EXPECT_EQ(time.whole(0, lasting(1'045)), Nanoseconds{1'005});
}

TEST(SampleTime, IsThatOfOneMessageOfAPair) {
    EXPECT_DOUBLE_EQ(time_of("pingpong", 1).of(0, lasting(141)), 50.5);
    EXPECT_DOUBLE_EQ(time_of("pingpong", 5).of(0, lasting(1'040)), 100);
}

TEST(SampleTime, KnowsTheMostThatIsLeftOut) {
    EXPECT_EQ(time_of("bcast", 1).largest_empty(), Nanoseconds{60});
}

TEST(SampleTime, LeavesNothingOutOfAPointWithoutAJob) {
    const SampleStore sample({point_spec(0, "bcast", 8)});
    const SampleTime time(sample.store, sample.store.point(sample.run, 0));
    EXPECT_EQ(time.of(0, lasting(100)), 100);
    EXPECT_EQ(time.largest_empty(), Nanoseconds{0});
}

TEST(SampleTime, TakesTheEmptyTimesOfTheJobThatMeasuredThePoint) {
    SampleStore sample({point_spec(0, "bcast", 8), point_spec(1, "bcast", 16)});
    const auto later = sample.store.create_job(sample.run, "mpirun", "/j2");
    sample.store.put(sample.job, journal::RankInfo{0, "h0", 10, "0", 40});
    sample.store.put(later, journal::RankInfo{0, "h0", 20, "0", 25});
    sample.put({.index = 0, .status = journal::PointStatus::ok}, {}, sample.job);
    sample.put({.index = 1, .status = journal::PointStatus::ok}, {}, later);
    EXPECT_EQ(SampleTime(sample.store, sample.store.point(sample.run, 0)).of(0, lasting(100)), 60);
    EXPECT_EQ(SampleTime(sample.store, sample.store.point(sample.run, 1)).of(0, lasting(100)), 75);
}

}  // namespace
}  // namespace fathom::analysis
