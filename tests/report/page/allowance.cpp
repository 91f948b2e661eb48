#include "report/page/allowance.hpp"

#include <string>

#include <gtest/gtest.h>

namespace fathom::report {
namespace {

nlohmann::ordered_json details(std::size_t by_process) {
    return {{"tails", {{"count", 10}}},
            {"processes", {{"text", "none"}}},
            {"explanation", {{"slow_reps", 0}}},
            {"spread", {{"counts", "AQID"}, {"ranks", std::string(by_process, 'x')}}}};
}

TEST(Allowance, LeavesFewPointsAsTheyAre) {
    Allowance allowance(100'000, 10, 20);
    auto large = details(50'000);
    EXPECT_FALSE(allowance.trim(large));
    EXPECT_EQ(large, details(50'000));
}

TEST(Allowance, LeavesOutTimesByProcessFirstAndThenWhatFoundNothing) {
    Allowance allowance(200'000, 1'000, 1'000'000);
    auto one = details(50'000);
    EXPECT_TRUE(allowance.trim(one));
    EXPECT_FALSE(one["spread"].contains("ranks"));
    EXPECT_FALSE(one.contains("processes"));
    EXPECT_TRUE(one.contains("tails"));
    Allowance small(60'000, 1'000, 1'000'000);
    auto two = details(50'000);
    EXPECT_TRUE(small.trim(two));
    EXPECT_FALSE(two.contains("explanation"));
    EXPECT_TRUE(two.contains("spread"));
}

TEST(Allowance, KeepsAllPointsTogetherWithinIt) {
    constexpr std::size_t bytes = 20'000;
    constexpr std::size_t points = 200;
    Allowance allowance(bytes, points, 200'000);
    std::size_t written = 0;
    for (std::size_t i = 0; i < points; ++i) {
        auto one = details(i % 2 == 0 ? 10 : 5'000);
        allowance.trim(one);
        written += one.dump().size();
    }
    EXPECT_LE(written, bytes + points * 2);
}

}  // namespace
}  // namespace fathom::report
