#include "analysis/curves/curves.hpp"

#include <gtest/gtest.h>

#include "analysis/curves/scaling.hpp"

namespace fathom::analysis {
namespace {

PointResult point_with(const std::string& operation, int procs, std::int64_t size, double time_ns,
                       Quality quality = Quality::good) {
    PointResult point;
    point.key = {.operation = operation, .pattern = "all", .procs = procs, .size = {size}};
    point.status = PointStatus::ok;
    point.datatype = operation == "allreduce" || operation == "reduce" ? "float" : "byte";
    point.time_ns = stats::Summary{
        .count = 100, .median = time_ns, .median_ci95 = stats::Interval{0.995 * time_ns, 1.005 * time_ns}};
    point.quality = quality;
    return point;
}

constexpr auto unreliable_marks = {Quality::disturbed, Quality::imprecise};

TEST(TimedPoints, AreThoseThatCanBeReliedOn) {
    ASSERT_TRUE(timed(point_with("bcast", 4, 8, 1'000), false));
    for (const auto quality : unreliable_marks) {
        EXPECT_FALSE(timed(point_with("bcast", 4, 8, 1'000, quality), false)) << to_text(quality);
    }
    auto failed = point_with("bcast", 4, 8, 1'000);
    failed.status = PointStatus::failed;
    EXPECT_FALSE(timed(failed, false));
}

TEST(TimedPoints, AloneMakeAnomalies) {
    for (const auto quality : unreliable_marks) {
        // A hump at 4 KiB, slower than 8 KiB.
        const auto anomalies_with = [](Quality of_hump) {
            return scaling_of(
                       {point_with("bcast", 4, 2'048, 2'000), point_with("bcast", 4, 4'096, 9'000, of_hump),
                        point_with("bcast", 4, 8'192, 4'000), point_with("bcast", 4, 16'384, 6'000)},
                       false)
                .anomalies;
        };
        EXPECT_FALSE(anomalies_with(Quality::good).empty());
        EXPECT_TRUE(anomalies_with(quality).empty()) << to_text(quality);
    }
}

TEST(TimedPoints, AloneCheckGuidelines) {
    const auto scaling_with = [](Quality allreduce, Quality bcast) {
        return scaling_of(
            {point_with("allreduce", 8, 1'024, 9'000, allreduce), point_with("reduce", 8, 1'024, 4'000),
             point_with("bcast", 8, 1'024, 2'000, bcast)},
            false);
    };
    EXPECT_EQ(scaling_with(Quality::good, Quality::good).violations.size(), 1U);
    for (const auto quality : unreliable_marks) {
        EXPECT_TRUE(scaling_with(quality, Quality::good).violations.empty()) << to_text(quality);
        EXPECT_TRUE(scaling_with(Quality::good, quality).violations.empty()) << to_text(quality);
    }
}

TEST(TimedPoints, AloneMakeRates) {
    std::vector<PointResult> points;
    for (std::int64_t size = 1'024; size <= 1 << 20; size *= 4) {
        points.push_back(point_with("pingpong", 2, size, 2'000 + static_cast<double>(size) / 10));
    }
    points.back().time_ns->median *= 10;
    points.back().quality = Quality::disturbed;
    const auto scaling = scaling_of(points, false);
    ASSERT_EQ(scaling.sizes.size(), 1U);
    EXPECT_EQ(scaling.sizes[0].best_at.count, 1 << 18);
    ASSERT_TRUE(scaling.sizes[0].asymptotic_rate_bytes_per_s);
    EXPECT_NEAR(*scaling.sizes[0].asymptotic_rate_bytes_per_s, 10e9, 1e6);
}

}  // namespace
}  // namespace fathom::analysis
