#include "analysis/curves/protocol_boundaries.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fathom::analysis {
namespace {

using ::testing::IsEmpty;

Reduced figure(double value, double reach = 0) {
    return {.value = value, .ci95 = stats::Interval{.low = value - reach, .high = value + reach}};
}

PointResult overlap_point(std::int64_t size, double base_ns, double overhead_ns, double reach_ns = 0) {
    PointResult point;
    point.key.operation = "overlap.isend";
    point.key.procs = 2;
    point.key.size = {size};
    point.status = PointStatus::ok;
    auto& message = point.overlap.emplace().message.emplace();
    message.base_ns = figure(base_ns, reach_ns);
    message.plain.overhead_ns = figure(overhead_ns, reach_ns);
    message.plain.availability = figure(1 - overhead_ns / base_ns, reach_ns / base_ns);
    return point;
}

TEST(ProtocolBoundaries, ShowWhereOverheadGrowsByMoreThanTheMessage) {
    const auto found = protocol_boundaries({overlap_point(1024, 1'000, 100), overlap_point(4096, 1'500, 120),
                                            overlap_point(8192, 5'000, 4'900)});
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].below, Bytes{4096});
    EXPECT_EQ(found[0].above, Bytes{8192});
    EXPECT_EQ(found[0].overhead_before_ns, 120);
    EXPECT_EQ(found[0].overhead_after_ns, 4'900);
    EXPECT_EQ(found[0].time_before_ns, 1'500);
    EXPECT_EQ(found[0].time_after_ns, 5'000);
}

TEST(ProtocolBoundaries, ShowWhereOverheadFalls) {
    const auto found =
        protocol_boundaries({overlap_point(4096, 1'500, 1'500), overlap_point(8192, 3'000, 300)});
    EXPECT_EQ(found.size(), 1U);
}

TEST(ProtocolBoundaries, ShowWhereAvailabilityDrops) {
    // Overhead grows by less than 1.5 times what the size does, and the message time not at all.
    const auto found =
        protocol_boundaries({overlap_point(4096, 10'000, 2'000), overlap_point(8192, 10'000, 5'500)});
    EXPECT_EQ(found.size(), 1U);
}

TEST(ProtocolBoundaries, AreNotSeenInAConstantOverheadUnderGrowingMessages) {
    // Availability rises from 0.5 to 0.75 and 0.875 by itself.
    EXPECT_THAT(protocol_boundaries({overlap_point(4096, 2'000, 1'000), overlap_point(8192, 4'000, 1'000),
                                     overlap_point(16'384, 8'000, 1'000)}),
                IsEmpty());
}

// Caches let a time grow by 24 times while the size grows by 16; over a doubling that would be a break.
TEST(ProtocolBoundaries, AreNotSeenInTimesThatOutgrowAWideGapOfSizes) {
    EXPECT_THAT(protocol_boundaries(
                    {overlap_point(65'536, 5'000, 5'000), overlap_point(1'048'576, 125'000, 125'000)}),
                IsEmpty());
    EXPECT_EQ(
        protocol_boundaries({overlap_point(65'536, 5'000, 5'000), overlap_point(131'072, 16'000, 16'000)})
            .size(),
        1U);
}

TEST(ProtocolBoundaries, AreNotSeenInNoise) {
    EXPECT_THAT(protocol_boundaries(
                    {overlap_point(4096, 1'500, 120, 3'000), overlap_point(8192, 5'000, 4'900, 3'000)}),
                IsEmpty());
}

TEST(ProtocolBoundaries, AreNotSeenWhereAStudyCannotBeReliedOn) {
    const auto sound = overlap_point(8192, 5'000, 4'900);
    const auto found_after = [&](const PointResult& before) { return protocol_boundaries({before, sound}); };
    ASSERT_EQ(found_after(overlap_point(4096, 1'500, 120)).size(), 1U);
    auto preempted = overlap_point(4096, 1'500, 120);
    preempted.warnings.push_back({Disturbed{}});
    EXPECT_THAT(found_after(preempted), IsEmpty());
    auto imprecise = overlap_point(4096, 1'500, 120);
    imprecise.quality = Quality::imprecise;
    EXPECT_THAT(found_after(imprecise), IsEmpty());
    auto undecided = overlap_point(4096, 1'500, 120);
    undecided.overlap->progress = ProgressVerdict::undecided;
    EXPECT_THAT(found_after(undecided), IsEmpty());
    EXPECT_THAT(found_after(overlap_point(4096, 0.2, 0.01)), IsEmpty()) << "no message takes 0 ns";
}

TEST(ProtocolBoundaries, AreNotSeenInSharesOutsideTheirRange) {
    // Availability -0.04, then 1 - 21.18 = -20.18.
    EXPECT_THAT(protocol_boundaries({overlap_point(4096, 1'000, 1'040), overlap_point(8192, 2'000, 42'360)}),
                IsEmpty());
    // Availability 0.96, then -0.04.
    const auto found = [](double reach_ns) {
        return protocol_boundaries(
            {overlap_point(4096, 1'000, 40), overlap_point(8192, 2'000, 2'080, reach_ns)});
    };
    EXPECT_THAT(found(0), IsEmpty());
    EXPECT_EQ(found(50).size(), 1U) << "its interval reaches -0.02, which is within what work is off by";
    EXPECT_THAT(protocol_boundaries({overlap_point(4096, 1'000, 40), overlap_point(8192, 2'000, 2'400, 400)}),
                IsEmpty())
        << "a wide interval around -0.2 does not make it a share";
}

TEST(ProtocolBoundaries, LieWithinOneCurve) {
    auto other = overlap_point(8192, 5'000, 4'900);
    other.key.operation = "overlap.irecv";
    auto threaded = overlap_point(8192, 5'000, 4'900);
    threaded.key.progress = "thread";
    EXPECT_THAT(protocol_boundaries({overlap_point(4096, 1'500, 120), other, threaded}), IsEmpty());
}

TEST(ComparedProgress, SaysWhatAThreadDid) {
    auto threaded = overlap_point(8192, 5'000, 500);
    threaded.key.progress = "thread";
    std::vector<PointResult> points{overlap_point(8192, 5'000, 4'900), threaded,
                                    overlap_point(4096, 5'000, 500)};
    compare_progress(points);
    ASSERT_TRUE(points[0].overlap->thread);
    EXPECT_EQ(points[0].overlap->thread->kind, ProgressThreadEffect::Kind::helps);
    EXPECT_DOUBLE_EQ(points[0].overlap->thread->availability.value, 0.9);
    EXPECT_FALSE(points[1].overlap->thread);
    EXPECT_FALSE(points[2].overlap->thread);
}

TEST(ComparedProgress, SaysThatAThreadMadeNoDifference) {
    auto threaded = overlap_point(8192, 5'000, 4'800, 200);
    threaded.key.progress = "thread";
    std::vector<PointResult> points{overlap_point(8192, 5'000, 4'900, 200), threaded};
    compare_progress(points);
    ASSERT_TRUE(points[0].overlap->thread);
    EXPECT_EQ(points[0].overlap->thread->kind, ProgressThreadEffect::Kind::no_difference);
}

}  // namespace
}  // namespace fathom::analysis
