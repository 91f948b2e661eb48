#include "analysis/run/setting_comparison.hpp"

#include <algorithm>
#include <random>

#include <gmock/gmock.h>

#include "analysis/run/run_result.hpp"
#include "stats/quantile.hpp"

namespace fathom::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

plan::Plan varying(const std::string& setting) {
    plan::Plan plan;
    plan.vary = {setting};
    return plan;
}

const auto limits = varying("OMPI_MCA_btl_vader_eager_limit=4096,32768");
const auto algorithms = varying("OMPI_MCA_coll_tuned_allreduce_algorithm=1,2,3");

PointResult launched_point(const std::string& setting, const std::vector<double>& launches_ns,
                           std::int64_t size = 16'384) {
    PointResult point;
    point.key = {.operation = "allreduce", .procs = 2, .size = {size}, .setting = setting};
    point.status = PointStatus::ok;
    point.value_ns = stats::Reduced{.value = stats::median_of(launches_ns), .ci95 = std::nullopt};
    if (launches_ns.size() > 1) {
        point.launches = Launches{};
        point.launches->values_ns = launches_ns;
    }
    return point;
}

PointResult limit_of(const std::string& value, const std::vector<double>& launches_ns,
                     std::int64_t size = 16'384) {
    return launched_point("btl_vader_eager_limit=" + value, launches_ns, size);
}

PointResult algorithm_of(const std::string& value, const std::vector<double>& launches_ns) {
    return launched_point("coll_tuned_allreduce_algorithm=" + value, launches_ns);
}

TEST(SettingComparison, OfARunThatVariesNothingIsNone) {
    EXPECT_THAT(compare_settings({launched_point("", {1'000, 1'010})}, plan::Plan{}), IsEmpty());
}

TEST(SettingComparison, IsMadeOfThreadLevelsToo) {
    plan::Plan plan;
    plan.thread_levels = {plan::ThreadLevel::single, plan::ThreadLevel::multiple};
    const auto found = compare_settings({launched_point("thread_level=single", {350, 352, 349, 351, 350}),
                                         launched_point("thread_level=multiple", {580, 582, 581, 579, 580})},
                                        plan);
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found[0].verdict, SettingVerdict::best);
    EXPECT_THAT(found[0].names, ElementsAre("thread_level"));
    EXPECT_THAT(found[0].settings[found[0].fastest].values, ElementsAre("single"));
    EXPECT_NEAR(found[0].ratio(), 580.0 / 350, 1e-9);
}

TEST(SettingComparison, FindsTheBestWithItsRatio) {
    const auto found = compare_settings({limit_of("4096", {1'300, 1'310, 1'320, 1'305, 1'315}),
                                         limit_of("32768", {1'000, 1'010, 990, 1'005, 995})},
                                        limits);
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found[0].verdict, SettingVerdict::best);
    EXPECT_EQ(found[0].key.setting, "");
    EXPECT_THAT(found[0].names, ElementsAre("btl_vader_eager_limit"));
    EXPECT_EQ(found[0].settings[found[0].fastest].setting, "btl_vader_eager_limit=32768");
    EXPECT_EQ(found[0].settings[found[0].slowest].values.front(), "4096");
    EXPECT_DOUBLE_EQ(found[0].ratio(), 1.31);
    EXPECT_LT(found[0].p_next, 0.001);
}

TEST(SettingComparison, SeesNoDifferenceWithinTheScatterOfLaunches) {
    const auto found = compare_settings({limit_of("4096", {1'000, 1'200, 1'100, 1'300, 900}),
                                         limit_of("32768", {1'050, 1'150, 950, 1'250, 1'000})},
                                        limits);
    EXPECT_EQ(found[0].verdict, SettingVerdict::alike);
    EXPECT_FALSE(found[0].matters());
}

TEST(SettingComparison, DoesNotCallALargeDifferenceNoneForAStrayLaunch) {
    const auto found = compare_settings({limit_of("4096", {1'600, 1'610, 1'590, 1'605, 1'600}),
                                         limit_of("32768", {1'000, 1'010, 990, 5'000, 1'000})},
                                        limits);
    EXPECT_EQ(found[0].verdict, SettingVerdict::undecided);
    EXPECT_FALSE(found[0].matters());
}

TEST(SettingComparison, IgnoresSignificantDifferencesThatDoNotMatter) {
    const auto found = compare_settings({limit_of("4096", {1'005, 1'005.1, 1'004.9, 1'005, 1'005}),
                                         limit_of("32768", {1'000, 1'000.1, 999.9, 1'000, 1'000})},
                                        limits);
    EXPECT_LT(found[0].p_next, 0.001);
    EXPECT_EQ(found[0].verdict, SettingVerdict::alike);
}

TEST(SettingComparison, TellsABestThatIsSharedFromOneThatIsNot) {
    const std::vector<double> fast{1'000, 1'010, 990, 1'005, 995};
    const std::vector<double> as_fast{1'001, 1'012, 993, 1'004, 997};
    const std::vector<double> slow{2'000, 2'010, 1'990, 2'005, 1'995};
    const auto found = compare_settings(
        {algorithm_of("1", slow), algorithm_of("2", as_fast), algorithm_of("3", fast)}, algorithms);
    EXPECT_EQ(found[0].verdict, SettingVerdict::shared);
    EXPECT_TRUE(found[0].matters());
    EXPECT_EQ(found[0].fastest, 2U);
    EXPECT_EQ(found[0].next, 1U);
    EXPECT_EQ(found[0].slowest, 0U);
}

TEST(SettingComparison, IsUndecidedWhereAComparedSettingWasDisturbed) {
    const auto verdict_with = [](std::size_t disturbed) {
        std::vector<PointResult> points{algorithm_of("1", {2'000, 2'010, 1'990, 2'005, 1'995}),
                                        algorithm_of("2", {1'500, 1'510, 1'490, 1'505, 1'495}),
                                        algorithm_of("3", {1'000, 1'010, 990, 1'005, 995})};
        points[disturbed].quality = Quality::disturbed;
        return compare_settings(points, algorithms).at(0);
    };
    for (std::size_t disturbed = 0; disturbed < 3; ++disturbed) {
        EXPECT_EQ(verdict_with(disturbed).verdict, SettingVerdict::undecided) << disturbed;
        EXPECT_FALSE(verdict_with(disturbed).matters());
    }
}

TEST(SettingComparison, CannotTellFromOneLaunch) {
    const auto found = compare_settings({limit_of("4096", {1'300}), limit_of("32768", {1'000})}, limits);
    EXPECT_EQ(found[0].verdict, SettingVerdict::too_few_launches);
    EXPECT_DOUBLE_EQ(found[0].ratio(), 1.3);
}

TEST(SettingComparison, LeavesOutWhatWasNotMeasured) {
    auto failed = algorithm_of("2", {1'000, 1'000});
    failed.status = PointStatus::failed;
    const auto found = compare_settings(
        {algorithm_of("1", {1'300, 1'301, 1'299}), failed, algorithm_of("3", {1'000, 1'001, 999})},
        algorithms);
    EXPECT_EQ(found[0].verdict, SettingVerdict::best);
    EXPECT_FALSE(found[0].settings[1].value_ns.has_value());
    const auto alone = compare_settings({failed, algorithm_of("3", {1'000, 1'001, 999})}, algorithms);
    EXPECT_EQ(alone[0].verdict, SettingVerdict::not_measured);
}

TEST(SettingComparison, RarelyFindsADifferenceWhereThereIsNone) {
    // Tables of eight sizes and four equal settings with launches that scatter by 5 %: at most 5 % of the
    // tables may have a mark. 300 of them have more than 30 with a chance of less than 1 in 1000.
    constexpr int tables = 300;
    const auto vary = varying("X=1,2,3,4");
    std::mt19937_64 random(7);
    std::normal_distribution<double> launch(1'000, 50);
    int alarms = 0;
    for (int table = 0; table < tables; ++table) {
        std::vector<PointResult> points;
        for (std::int64_t size = 1; size <= 128; size *= 2) {
            for (const auto* setting : {"X=1", "X=2", "X=3", "X=4"}) {
                std::vector<double> launches(5);
                std::generate(launches.begin(), launches.end(), [&] { return launch(random); });
                points.push_back(launched_point(setting, launches, size));
            }
        }
        const auto found = compare_settings(points, vary);
        alarms +=
            std::any_of(found.begin(), found.end(), [](const auto& one) { return one.matters(); }) ? 1 : 0;
    }
    EXPECT_LE(alarms, 30);
}

TEST(SettingComparison, IsAnInsightWhereItMatters) {
    RunResult result;
    result.settings =
        compare_settings({limit_of("4096", {1'300, 1'310, 1'320}), limit_of("32768", {1'000, 1'010, 990}),
                          limit_of("4096", {100, 101, 99}, 8), limit_of("32768", {100, 101, 99}, 8)},
                         limits);
    const auto insights = insights_of(result);
    ASSERT_THAT(insights, SizeIs(1));
    EXPECT_EQ(insights[0].kind(), InsightKind::setting);
    EXPECT_EQ(insights[0].key.setting, "btl_vader_eager_limit=32768");
    EXPECT_EQ(insights[0].key.size, Bytes{16'384});
    EXPECT_DOUBLE_EQ(insights[0].weight, 1.31);
}

}  // namespace
}  // namespace fathom::analysis
