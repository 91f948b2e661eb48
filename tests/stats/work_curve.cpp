#include "stats/work_curve.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace fathom::stats {
namespace {

/// A message of 100 that progresses by itself and takes 10 of the processor: max(100, work + 10).
double overlapped(double work) {
    return std::max(100.0, work + 10);
}

TEST(WorkCurve, HasNoBaseBeforeTheFirstStep) {
    const WorkCurve curve(1.02, 1.75);
    EXPECT_FALSE(curve.base());
    EXPECT_FALSE(curve.stops());
}

TEST(WorkCurve, TheBaseIsTheMeanOfWhatDoesNotExceedIt) {
    WorkCurve curve(1.05, 1.75);
    curve.add(0, 100);
    curve.add(10, 104);  // within 1.05 x 100
    curve.add(20, 107);  // within 1.05 x 102
    EXPECT_DOUBLE_EQ(*curve.base(), 311.0 / 3);
    curve.add(30, 109);  // 1.0514 times the mean so far
    EXPECT_TRUE(curve.closed());
    EXPECT_DOUBLE_EQ(*curve.base(), 311.0 / 3);
    EXPECT_EQ(curve.base_steps(), 3U);
    EXPECT_EQ(curve.first_work_beyond(), 30);
}

TEST(WorkCurve, AClosedBaseTakesNoMoreTimesHoweverSmall) {
    WorkCurve curve(1.02, 1.75);
    curve.add(0, 100);
    curve.add(10, 150);
    curve.add(20, 100);
    EXPECT_DOUBLE_EQ(*curve.base(), 100);
    EXPECT_EQ(curve.base_steps(), 1U);
    EXPECT_EQ(curve.first_work_beyond(), 10);
}

TEST(WorkCurve, StopsWhereOverheadIsAllThatIsLeft) {
    WorkCurve curve(1.02, 1.75);
    double work = 0;
    for (; work < 1'000; work += 5) {
        curve.add(work, overlapped(work));
        if (curve.stops(100)) {
            break;
        }
    }
    EXPECT_DOUBLE_EQ(*curve.base(), 100);
    EXPECT_DOUBLE_EQ(work, 170);  // the first with work + 10 > 175
    EXPECT_DOUBLE_EQ(overlapped(work) - work, 10);
}

TEST(WorkCurve, ALongIterationAloneIsNoReasonToStop) {
    // No overlap at all: 1.75 times the base is reached with less work than the message takes.
    WorkCurve curve(1.02, 1.75);
    curve.add(0, 100);
    curve.add(80, 180);
    EXPECT_FALSE(curve.stops());
    curve.add(130, 230);
    EXPECT_TRUE(curve.stops());
}

TEST(WorkCurve, WorkMustExceedTheTransferWhereTheCallsReturnBefore) {
    WorkCurve curve(1.02, 1.75);
    curve.add(0, 10);
    curve.add(50, 60);
    EXPECT_TRUE(curve.stops());
    EXPECT_FALSE(curve.stops(100));
    curve.add(126, 136);
    EXPECT_TRUE(curve.stops(100));
}

TEST(WorkCurve, TheThresholdFollowsTheNoiseWithinTwoToFivePercent) {
    EXPECT_DOUBLE_EQ(base_threshold_for(0), 1.02);
    EXPECT_DOUBLE_EQ(base_threshold_for(0.01), 1.03);
    EXPECT_DOUBLE_EQ(base_threshold_for(0.2), 1.05);
}

}  // namespace
}  // namespace fathom::stats
