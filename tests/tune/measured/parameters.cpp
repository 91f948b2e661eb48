#include "tune/measured/parameters.hpp"

#include <gtest/gtest.h>

#include "plan/pairing.hpp"
#include "tune/measured_points.hpp"

namespace fathom::testing {
namespace {

const std::vector<std::string> two_hosts{"a", "a", "b", "b"};

std::vector<analysis::PointResult> pingpong(const std::string& pair, double alpha, double beta) {
    std::vector<analysis::PointResult> points;
    for (std::int64_t size = 1; size <= 1 << 20; size *= 4) {
        points.push_back(measured_point("pingpong", 4, size, alpha + beta * static_cast<double>(size)));
        if (!pair.empty()) {
            points.back().pairs = {pair};
        }
    }
    return points;
}

TEST(Parameters, OfAPairAreThoseBetweenHostsOrInside) {
    const auto remote = simulated_run(pingpong("", 10'000, 1));  // the first rank and the last
    const auto local = simulated_run(pingpong("2-3", 500, 0.25));
    const std::vector<tune::SourceRun> runs{{&remote, two_hosts}, {&local, two_hosts}};
    const auto found = tune::parameters_of(runs);
    ASSERT_TRUE(found.between && found.inside);
    ASSERT_EQ(found.between->message.ranges.size(), 1U);
    EXPECT_NEAR(found.between->message.ranges[0].time.fixed_ns, 10'000, 1e-3);
    EXPECT_NEAR(found.between->message.ranges[0].time.per_byte_ns, 1, 1e-7);
    EXPECT_NEAR(found.inside->message.ranges[0].time.fixed_ns, 500, 1e-3);
    EXPECT_NEAR(found.inside->message.ranges[0].time.per_byte_ns, 0.25, 1e-7);
    EXPECT_FALSE(found.between_overhead);
    EXPECT_NEAR(found.between->overhead_ns, 10'000, 1e-3);
    EXPECT_FALSE(found.reduce_ns_per_byte);
}

/// Matrices of two ranks on either of two hosts: 500 ns + 0.2 ns a byte inside, 9 us + 1.5 ns between.
analysis::RunResult run_of_matrices() {
    auto run = simulated_run({});
    for (const std::int64_t size : {8, 1'024, 65'536, 1'048'576}) {
        analysis::MatrixResult matrix;
        matrix.key.pattern = plan::pair_per_host;
        matrix.key.size = {size};
        matrix.ranks = {0, 1, 2, 3};
        matrix.hosts = two_hosts;
        matrix.pairs.resize(6);
        for (std::size_t b = 1; b < 4; ++b) {
            for (std::size_t a = 0; a < b; ++a) {
                const bool inside = matrix.hosts[a] == matrix.hosts[b];
                matrix.pairs[analysis::MatrixResult::place(a, b)] = {
                    .reps = 5,
                    .median_ns = inside ? 500 + 0.2 * static_cast<double>(size)
                                        : 9'000 + 1.5 * static_cast<double>(size)};
            }
        }
        run.matrices.push_back(matrix);
    }
    return run;
}

TEST(Parameters, OfAMatrixAreBothLevels) {
    const auto run = run_of_matrices();
    const std::vector<tune::SourceRun> runs{{&run, two_hosts}};
    const auto found = tune::parameters_of(runs);
    ASSERT_TRUE(found.between && found.inside);
    EXPECT_NEAR(found.between->message.ranges[0].time.fixed_ns, 9'000, 1e-3);
    EXPECT_NEAR(found.inside->message.ranges[0].time.per_byte_ns, 0.2, 1e-7);
}

TEST(Parameters, AreNotTakenFromMatricesThatWereDisturbedOrContended) {
    for (const bool disturbed : {true, false}) {
        auto run = run_of_matrices();
        for (auto& matrix : run.matrices) {
            matrix.disturbed = disturbed;
            matrix.key.pattern = disturbed ? plan::pair_per_host : "matrix";
        }
        const std::vector<tune::SourceRun> runs{{&run, two_hosts}};
        const auto found = tune::parameters_of(runs);
        EXPECT_FALSE(found.between || found.inside) << disturbed;
    }
}

TEST(Parameters, AreTakenFromContendedMatricesInWhichNoPairsShareAHost) {
    auto run = run_of_matrices();
    for (auto& matrix : run.matrices) {
        matrix.key.pattern = "matrix";
        matrix.hosts = {"a", "b", "c", "d"};
    }
    const std::vector<tune::SourceRun> runs{{&run, {"a", "b", "c", "d"}}};
    EXPECT_TRUE(tune::parameters_of(runs).between);
}

TEST(Parameters, TakeTheOverheadFromMessageRateAndGammaFromReduceLocal) {
    auto points = pingpong("", 10'000, 1);
    for (std::int64_t size = 4; size <= 1 << 20; size *= 4) {
        const auto x = static_cast<double>(size);
        // A window of 64 and its answer: two messages, and 63 times the overhead.
        points.push_back(measured_point("message-rate", 4, size, (2 * 10'000 + 63 * 300) / 64.0 + x));
        points.back().pairs = {"0-2", "1-3"};
        points.push_back(measured_point("reduce_local", 1, size, 40 + 0.1 * x));
    }
    const auto run = simulated_run(points);
    const std::vector<tune::SourceRun> runs{{&run, two_hosts}};
    const auto found = tune::parameters_of(runs);
    ASSERT_TRUE(found.between);
    EXPECT_TRUE(found.between_overhead);
    EXPECT_NEAR(found.between->overhead_ns, 300, 1e-3);
    ASSERT_TRUE(found.reduce_ns_per_byte);
    EXPECT_NEAR(*found.reduce_ns_per_byte, 0.1, 1e-7);
}

TEST(Parameters, AreNotTakenFromPointsThatMeasureSomethingElse) {
    auto points = pingpong("", 10'000, 1);
    for (auto& point : points) {
        point.key.setting = "eager_limit=1";
    }
    const auto run = simulated_run(points);
    const std::vector<tune::SourceRun> runs{{&run, two_hosts}};
    EXPECT_FALSE(tune::parameters_of(runs).between);
}

TEST(Parameters, KeepProtocolsApart) {
    std::vector<analysis::PointResult> points;
    for (std::int64_t size = 1; size <= 1 << 22; size *= 2) {
        const auto x = static_cast<double>(size);
        points.push_back(
            measured_point("pingpong", 4, size, size <= 8'192 ? 900 + 0.5 * x : 6'000 + 0.1 * x));
    }
    const auto run = simulated_run(points);
    const std::vector<tune::SourceRun> runs{{&run, two_hosts}};
    const auto found = tune::parameters_of(runs);
    ASSERT_TRUE(found.between);
    ASSERT_EQ(found.between->message.ranges.size(), 2U);
    EXPECT_EQ(found.between->line_at(8'192).per_byte_ns, found.between->message.ranges[0].time.per_byte_ns);
    EXPECT_NEAR(found.between->message.ranges[1].time.fixed_ns, 6'000, 1e-3);
}

TEST(Parameters, FollowACurveThatFewLinesDoNotDescribe) {
    std::vector<analysis::PointResult> points;
    std::int64_t size = 1;
    for (const double time :
         {16'134.0, 16'140.0, 18'035.0, 15'597.0, 19'293.0, 23'542.0, 46'708.0, 65'489.0}) {
        points.push_back(measured_point("pingpong", 4, size, time));
        size *= 4;
    }
    const auto run = simulated_run(points);
    const std::vector<tune::SourceRun> runs{{&run, two_hosts}};
    const auto found = tune::parameters_of(runs);
    ASSERT_TRUE(found.between);
    for (const auto& point : points) {
        EXPECT_NEAR(found.between->message.at(static_cast<double>(point.key.size.count)),
                    point.time_ns->median, 1e-6);
    }
    EXPECT_NEAR(found.between->message.at(2.5), (16'134 + 16'140) / 2.0, 1e-6);  // between 1 and 4
}

TEST(LayoutLike, FollowsTheRunAndThenItsRanksPerHost) {
    const auto run = simulated_run({});
    const tune::SourceRun source{&run, two_hosts};
    EXPECT_EQ(tune::layout_like(source, 4).hosts(), 2);
    EXPECT_EQ(tune::layout_like(source, 3).hosts(), 2);
    EXPECT_EQ(tune::layout_like(source, 2).hosts(), 1);
    EXPECT_EQ(tune::layout_like(source, 1'001).hosts(), 501);
    EXPECT_TRUE(tune::layout_like({&run, {}}, 8).is_flat());
}

}  // namespace
}  // namespace fathom::testing
