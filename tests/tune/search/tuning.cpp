#include "tune/search/tuning.hpp"

#include <gtest/gtest.h>

namespace fathom::tune {
namespace {

/// Known to this share on both sides.
ProofPoint proven(double before, double after, double known_to) {
    return {.operation = "bcast",
            .procs = 8,
            .size = {8},
            .ruled = true,
            .before_ns = before,
            .before_range_ns = {before * (1 - known_to), before * (1 + known_to)},
            .after_ns = after,
            .after_range_ns = {after * (1 - known_to), after * (1 + known_to)}};
}

TEST(ProofPoint, IsDecidedByItsIntervals) {
    EXPECT_EQ(proven(200, 100, 0.1).verdict(), ProofVerdict::faster);
    EXPECT_EQ(proven(100, 200, 0.1).verdict(), ProofVerdict::slower);
    EXPECT_EQ(proven(100, 101, 0.001).verdict(), ProofVerdict::slower);
    EXPECT_EQ(proven(100, 100, 0.001).verdict(), ProofVerdict::same);
    EXPECT_EQ(proven(100, 100, 0.1).verdict(), ProofVerdict::undecided);
    EXPECT_EQ(proven(100, 130, 0.2).verdict(), ProofVerdict::undecided);
}

TEST(ProofPoint, IsHarmedOnlyIfItIsCertainlyAndClearlySlower) {
    EXPECT_TRUE(proven(100, 110, 0.01).harmed());
    EXPECT_FALSE(proven(100, 101, 0.001).harmed());
    EXPECT_FALSE(proven(100, 110, 0.2).harmed());
    EXPECT_FALSE(proven(110, 100, 0.01).harmed());
}

TEST(Proof, StandsIfEveryRuleWasMeasuredAndNoneLost) {
    EXPECT_FALSE(Proof{}.stands()) << "nothing was proven";
    EXPECT_TRUE((Proof{.points = {proven(200, 100, 0.1), proven(100, 100, 0.1)}}.stands()));
    EXPECT_FALSE((Proof{.points = {proven(200, 100, 0.1), proven(100, 110, 0.01)}}.stands()));
    auto unruled = proven(100, 110, 0.01);
    unruled.ruled = false;
    EXPECT_TRUE((Proof{.points = {proven(200, 100, 0.1), unruled}}.stands()));
    EXPECT_FALSE((Proof{.points = {proven(200, 100, 0.1)},
                        .failed = {{.operation = "bcast", .procs = 8, .size = {64}, .reason = "wrong data"}}}
                      .stands()));
}

TEST(Proof, LosesWhereLookingIntoTheFilesCostsMoreThanRulesBring) {
    auto unruled = proven(100, 103, 0.001);
    unruled.ruled = false;
    const auto gained_less = proven(102, 100, 0.001);
    EXPECT_EQ((Proof{.points = {gained_less, unruled}}.losses().size()), 1U);
    EXPECT_FALSE((Proof{.points = {gained_less, unruled}}.stands()));
    const auto gained_more = proven(110, 100, 0.001);
    EXPECT_TRUE((Proof{.points = {gained_more, unruled}}.losses().empty()));
    auto of_another = unruled;
    of_another.operation = "reduce";
    EXPECT_TRUE((Proof{.points = {gained_less, of_another}}.losses().empty()))
        << "it has no rules to give up";
    of_another.operation = "bcast";
    of_another.procs = 4;
    EXPECT_TRUE((Proof{.points = {gained_less, of_another}}.losses().empty()));
    auto uncertain = proven(100, 103, 0.1);
    uncertain.ruled = false;
    EXPECT_TRUE((Proof{.points = {gained_less, uncertain}}.losses().empty()));
}

}  // namespace
}  // namespace fathom::tune
