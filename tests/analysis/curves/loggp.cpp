#include "analysis/curves/loggp.hpp"

#include <functional>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/point/point_result.hpp"

namespace fathom::analysis {
namespace {

using ::testing::ElementsAre;

/// A machine with known parameters; times are exact except for noise of a known standard error.
struct LoggpMachine {
    double latency = 2'000;
    double gap = 300;
    double per_byte = 0.1;
    double send = 400;
    double receive = 500;
    double send_per_byte = 0.02;
    double relative_error = 0;
    std::function<double()> noise = [] { return 0.0; };

    [[nodiscard]] Reduced figure(double value) const {
        const double error = relative_error * value;
        const double seen = value + error * noise();
        return {
            .value = seen,
            .ci95 = stats::Interval{.low = seen - 1.959963985 * error, .high = seen + 1.959963985 * error}};
    }
    [[nodiscard]] PointResult point(const std::string& operation, std::int64_t size, double time) const {
        PointResult made;
        made.key.operation = operation;
        made.key.procs = 2;
        made.key.size = {size};
        made.status = journal::PointStatus::ok;
        made.value_ns = figure(time);
        if (operation.starts_with("overlap.")) {
            made.overlap.emplace().message.emplace().plain.overhead_ns = made.value_ns;
        }
        return made;
    }
    void put(std::vector<PointResult>& points, const std::vector<std::int64_t>& sizes) const {
        for (const auto size : sizes) {
            const auto s = static_cast<double>(size);
            const double out = send + send_per_byte * s;
            points.push_back(point("overlap.isend", size, out));
            points.push_back(point("overlap.irecv", size, receive));
            points.push_back(point("pingpong", size, out + (s - 1) * per_byte + latency + receive));
            points.push_back(point("message-rate", size, gap + (s - 1) * per_byte));
        }
    }
};

const std::vector<std::int64_t> small_sizes{1, 64, 256, 1024, 2048, 4096};

TEST(LogGp, IsRecoveredFromExactTimes) {
    std::vector<PointResult> points;
    LoggpMachine{}.put(points, small_sizes);
    const auto found = loggp_of(points);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].procs, 2);
    ASSERT_EQ(found[0].ranges.size(), 1U);
    const auto& range = found[0].ranges[0];
    EXPECT_EQ(range.from, Bytes{1});
    EXPECT_EQ(range.to, Bytes{4096});
    EXPECT_NEAR(range.latency_ns->value, 2'000, 1e-3);
    EXPECT_NEAR(range.gap_ns->value, 300, 1e-3);
    EXPECT_NEAR(range.gap_per_byte_ns->value, 0.1, 1e-6);
    EXPECT_NEAR(range.receive_overhead_ns->value, 500, 1e-9);
    EXPECT_NEAR(range.send_overhead_ns->value, 400 + 0.02 * (256 + 1024) / 2, 1e-9);
    EXPECT_LT(range.latency_ns->ci95->high - range.latency_ns->ci95->low, 0.1);
    EXPECT_GE(range.gap_sizes, least_loggp_sizes);
    EXPECT_GE(range.wire_sizes, least_loggp_sizes);
}

TEST(LogGp, HasARangeForEachProtocol) {
    std::vector<PointResult> points;
    LoggpMachine{}.put(points, small_sizes);
    LoggpMachine{.latency = 9'000, .gap = 4'000, .per_byte = 0.05, .send_per_byte = 0}.put(
        points, {8192, 16'384, 32'768, 65'536, 131'072});
    const auto found = loggp_of(points);
    ASSERT_EQ(found[0].ranges.size(), 2U);
    EXPECT_EQ(found[0].ranges[0].to, Bytes{4096});
    EXPECT_EQ(found[0].ranges[1].from, Bytes{8192});
    EXPECT_NEAR(found[0].ranges[0].gap_ns->value, 300, 1e-3);
    EXPECT_NEAR(found[0].ranges[1].latency_ns->value, 9'000, 1e-2);
    EXPECT_NEAR(found[0].ranges[1].gap_ns->value, 4'000, 1e-2);
    EXPECT_NEAR(found[0].ranges[1].gap_per_byte_ns->value, 0.05, 1e-6);
}

TEST(LogGp, IntervalsCoverTheTruth) {
    std::mt19937_64 random(7);
    std::normal_distribution<double> normal;
    LoggpMachine machine{.relative_error = 0.005};
    machine.noise = [&] { return normal(random); };
    constexpr int trials = 400;
    int latency = 0;
    int gap = 0;
    int per_byte = 0;
    int one_range = 0;
    const auto covers = [](const std::optional<Reduced>& figure, double truth) {
        return figure && figure->ci95->low <= truth && truth <= figure->ci95->high ? 1 : 0;
    };
    for (int trial = 0; trial < trials; ++trial) {
        std::vector<PointResult> points;
        machine.put(points, small_sizes);
        const auto found = loggp_of(points);
        if (found[0].ranges.size() == 1) {
            ++one_range;
            latency += covers(found[0].ranges[0].latency_ns, 2'000);
            gap += covers(found[0].ranges[0].gap_ns, 300);
            per_byte += covers(found[0].ranges[0].gap_per_byte_ns, 0.1);
        }
    }
    EXPECT_GT(one_range, trials * 9 / 10) << "noise is no protocol";
    for (const int covered : {latency, gap, per_byte}) {
        EXPECT_GT(covered, one_range * 93 / 100);
    }
}

TEST(LogGp, NamesWhatIsMissing) {
    std::vector<PointResult> points;
    LoggpMachine{}.put(points, small_sizes);
    std::erase_if(points, [](const auto& point) { return point.key.operation == "message-rate"; });
    EXPECT_THAT(loggp_of(points)[0].missing, ElementsAre(LogGpInput::gap));
    std::erase_if(points, [](const auto& point) { return point.key.operation != "overlap.isend"; });
    EXPECT_THAT(loggp_of(points)[0].missing,
                ElementsAre(LogGpInput::receive_overhead, LogGpInput::one_way, LogGpInput::gap));
    EXPECT_TRUE(loggp_of({}).empty()) << "nobody asked";
}

TEST(LogGp, ARangeOfTwoSizesSaysThatItIsTooShort) {
    std::vector<PointResult> points;
    LoggpMachine{}.put(points, {64, 128});
    const auto found = loggp_of(points);
    ASSERT_EQ(found[0].ranges.size(), 1U);
    EXPECT_FALSE(found[0].ranges[0].gap_ns);
    EXPECT_TRUE(found[0].ranges[0].send_overhead_ns);
    EXPECT_EQ(found[0].ranges[0].gap_sizes, 2U);
    EXPECT_EQ(found[0].ranges[0].wire_sizes, 2U);
}

TEST(LogGp, IsMadeOfPointsThatCanBeReliedOn) {
    std::vector<PointResult> points;
    LoggpMachine{}.put(points, small_sizes);
    const auto exact = loggp_of(points).at(0);
    for (auto& point : points) {
        if (point.key.size.count == 1024) {
            point.value_ns->value *= 10;
            point.quality = Quality::disturbed;
        }
    }
    EXPECT_NEAR(loggp_of(points).at(0).ranges.at(0).gap_ns->value, exact.ranges.at(0).gap_ns->value, 1e-3);
}

TEST(LogGp, IsNotMadeOfStudiesThatWereDisturbed) {
    std::vector<PointResult> points;
    LoggpMachine{}.put(points, small_sizes);
    for (auto& point : points) {
        if (point.key.operation == "overlap.irecv") {
            point.warnings.push_back({Disturbed{}});
        } else if (point.key.operation == "message-rate") {
            point.quality = Quality::imprecise;
        }
    }
    const auto found = loggp_of(points).at(0);
    EXPECT_THAT(found.ranges, ::testing::IsEmpty());
    EXPECT_THAT(found.missing, ::testing::IsEmpty());
    EXPECT_THAT(found.unreliable, ElementsAre(LogGpInput::receive_overhead, LogGpInput::gap));
}

}  // namespace
}  // namespace fathom::analysis
