#include "report/plot.hpp"

#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fathom::report {
namespace {

using ::testing::EndsWith;
using ::testing::StartsWith;

std::string whole(double value) {
    return fmt::format("{:.0f}", value);
}

std::string seconds(double value) {
    return fmt::format("{:.0f} s", value);
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

std::string blanks(std::size_t count) {
    return std::string(count, ' ');
}

TEST(ScatterPlot, DrawsALineFromCornerToCorner) {
    std::vector<Dot> dots;
    for (int i = 0; i < 60; ++i) {
        dots.push_back({static_cast<double>(i), static_cast<double>(i)});
    }
    const auto lines = lines_of(scatter_plot(dots, seconds, whole));
    ASSERT_EQ(lines.size(), 14U);
    EXPECT_EQ(lines[0], "  59 |" + blanks(55) + "*****");
    EXPECT_EQ(lines[1], "     |" + blanks(50) + "*****" + blanks(5));
    EXPECT_EQ(lines[11], "   0 |*****" + blanks(55));
    EXPECT_EQ(lines[12], "     +" + std::string(60, '-'));
    EXPECT_EQ(lines[13], "      0 s" + blanks(53) + "59 s");
}

TEST(ScatterPlot, PutsLargeValuesUpAndLateOnesRight) {
    const auto lines = lines_of(scatter_plot(std::vector<Dot>{{10, -5}, {20, 100}}, seconds, whole));
    ASSERT_EQ(lines.size(), 14U);
    EXPECT_EQ(lines[0], "  100 |" + blanks(59) + "*");
    EXPECT_EQ(lines[11], "   -5 |*" + blanks(59));
    EXPECT_EQ(lines[13], "       10 s" + blanks(52) + "20 s");
}

TEST(ScatterPlot, TakesDotsInAnyOrderAndOnTopOfEachOther) {
    const std::vector<Dot> dots{{0, 0}, {3, 9}, {7, 2}};
    const std::vector<Dot> again{{7, 2}, {3, 9}, {0, 0}, {3, 9}};
    EXPECT_EQ(scatter_plot(dots, seconds, whole), scatter_plot(again, seconds, whole));
}

TEST(ScatterPlot, DrawsAnOnlyDot) {
    const auto lines = lines_of(scatter_plot(std::vector<Dot>{{5, 7}}, seconds, whole));
    ASSERT_EQ(lines.size(), 14U);
    EXPECT_THAT(lines[0], StartsWith("  7 |"));
    EXPECT_EQ(lines[11], "  7 |*" + blanks(59));
    EXPECT_THAT(lines[13], EndsWith("5 s"));
}

TEST(ScatterPlot, OfNothingIsNothing) {
    EXPECT_EQ(scatter_plot({}, seconds, whole), "");
}

TEST(BarPlot, DrawsABarALineWithItsCount) {
    const stats::Histogram histogram{.low = 100, .width = 10, .counts = {48, 24, 0, 12}, .above = 0};
    const auto bar = [](std::size_t length) { return std::string(length, '#') + blanks(48 - length); };
    EXPECT_EQ(bar_plot(histogram, seconds),
              "      100 s |" + bar(48) + " 48\n" +      //
                  "      110 s |" + bar(24) + " 24\n" +  //
                  "      120 s |" + bar(0) + " 0\n" +    //
                  "      130 s |" + bar(12) + " 12\n");
}

TEST(BarPlot, ShowsAFewAmongMany) {
    const stats::Histogram histogram{.low = 0, .width = 1, .counts = {1'000'000, 1}, .above = 0};
    const auto lines = lines_of(bar_plot(histogram, seconds));
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[0], "        0 s |" + std::string(48, '#') + " 1 000 000");
    EXPECT_EQ(lines[1], "        1 s |#" + blanks(47) + " 1");
}

TEST(BarPlot, SumsSeveralBinsInALineSoThatItStaysShort) {
    stats::Histogram histogram{.low = 0, .width = 1, .counts = std::vector<std::int64_t>(45, 2), .above = 0};
    const auto lines = lines_of(bar_plot(histogram, seconds));
    ASSERT_EQ(lines.size(), 15U);
    EXPECT_EQ(lines[1], "        3 s |" + std::string(48, '#') + " 6");
    histogram.counts.assign(41, 2);
    const auto rest = lines_of(bar_plot(histogram, seconds));
    ASSERT_EQ(rest.size(), 14U);
    EXPECT_EQ(rest.back(), "       39 s |" + std::string(32, '#') + blanks(16) + " 4");
}

TEST(BarPlot, TellsWhatLiesAbove) {
    const stats::Histogram histogram{.low = 0, .width = 1, .counts = {1}, .above = 1234};
    const auto lines = lines_of(bar_plot(histogram, seconds));
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[1], "      above |" + blanks(48) + " 1 234");
}

TEST(BarPlot, DrawsEmptyBins) {
    const stats::Histogram histogram{.low = 0, .width = 1, .counts = {0, 0}, .above = 0};
    EXPECT_EQ(
        lines_of(bar_plot(histogram, seconds)),
        (std::vector<std::string>{"        0 s |" + blanks(48) + " 0", "        1 s |" + blanks(48) + " 0"}));
    EXPECT_EQ(bar_plot({}, seconds), "");
}

}  // namespace
}  // namespace fathom::report
