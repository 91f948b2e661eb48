#include "launch/conclusion.hpp"

#include <gtest/gtest.h>

namespace fathom::launch {
namespace {

using Kind = Conclusion::Kind;

std::vector<store::PointRow> points_of(const std::vector<store::PointStatus>& statuses) {
    std::vector<store::PointRow> points;
    for (const auto& status : statuses) {
        points.emplace_back().status = status;
    }
    return points;
}

TEST(Conclusion, CountsPoints) {
    const auto conclusion = conclude({},
                                     points_of({store::PointStatus::ok, store::PointStatus::failed,
                                                store::PointStatus::ok, store::PointStatus::unavailable}),
                                     {});
    EXPECT_EQ(conclusion.points, 4U);
    EXPECT_EQ(conclusion.ok, 2U);
    EXPECT_EQ(conclusion.failed, 1U);
}

TEST(Conclusion, IsDoneIfAnyPointIsThereAndNoneFailed) {
    const auto conclusion =
        conclude({}, points_of({store::PointStatus::ok, store::PointStatus::unavailable}), {});
    EXPECT_EQ(conclusion.kind, Kind::done);
    EXPECT_EQ(conclusion.status(), ExitStatus::done);
    EXPECT_EQ(conclude({}, {}, {}).kind, Kind::done) << "nothing was asked for";
}

TEST(Conclusion, OfALastJobThatDidNotEndSaysSoWhateverItsPoints) {
    for (const auto& statuses :
         {std::vector<store::PointStatus>{store::PointStatus::ok}, {store::PointStatus::failed}}) {
        const auto interrupted = conclude({.kind = Outcome::Kind::interrupted}, points_of(statuses), {});
        EXPECT_EQ(interrupted.kind, Kind::interrupted);
        EXPECT_EQ(interrupted.status(), ExitStatus::interrupted);
        for (const auto kind : {Outcome::Kind::died, Outcome::Kind::hung}) {
            const auto cut = conclude({.kind = kind}, points_of(statuses), {});
            EXPECT_EQ(cut.kind, Kind::cut_short);
            EXPECT_EQ(cut.status(), ExitStatus::not_measured);
        }
    }
}

TEST(Conclusion, OfPointsWithoutResultIsThatItWasNotMeasured) {
    EXPECT_EQ(conclude({}, points_of({store::PointStatus::ok, store::PointStatus::failed}), {}).kind,
              Kind::points_failed);
    EXPECT_EQ(conclude({}, points_of({store::PointStatus::ok, store::PointStatus::failed}), {}).status(),
              ExitStatus::not_measured);
    EXPECT_EQ(conclude({}, points_of({store::PointStatus::unavailable}), {}).kind, Kind::none_measured);
    EXPECT_EQ(conclude({}, points_of({store::PointStatus::unavailable}), {}).status(),
              ExitStatus::not_measured);
}

TEST(Conclusion, OfChecksThatDidNotHoldIsAFailedCheck) {
    analysis::RunResult result;
    result.verdict = analysis::Verdict{.accepted = false, .reasons = {}, .remarks = {}};
    EXPECT_EQ(conclude({}, points_of({store::PointStatus::ok}), result).kind, Kind::not_accepted);
    EXPECT_EQ(conclude({}, points_of({store::PointStatus::ok}), result).status(), ExitStatus::check_failed);
    result.clock_check.emplace_back();
    result.clock_check.emplace_back().holds = false;
    EXPECT_EQ(conclude({}, points_of({store::PointStatus::ok}), result).kind, Kind::clocks_wrong);
    EXPECT_EQ(conclude({}, points_of({store::PointStatus::ok}), result).status(), ExitStatus::check_failed);
    EXPECT_EQ(conclude({}, points_of({store::PointStatus::failed}), result).kind, Kind::points_failed)
        << "which is worse";
}

}  // namespace
}  // namespace fathom::launch
