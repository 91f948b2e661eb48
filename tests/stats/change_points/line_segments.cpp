#include "stats/change_points/line_segments.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fathom::stats {
namespace {

using ::testing::ElementsAre;

ToleratedSeries to_a_tenth(std::vector<double> values) {
    ToleratedSeries series{.values = std::move(values), .tolerances = {}};
    for (const double value : series.values) {
        series.tolerances.push_back(std::abs(value) / 10);
    }
    return series;
}

std::vector<double> doubling(std::size_t count) {
    std::vector<double> x;
    for (std::size_t i = 0; i < count; ++i) {
        x.push_back(std::exp2(static_cast<double>(i)));
    }
    return x;
}

TEST(LineSegments, LeaveALineWhole) {
    const auto x = doubling(12);
    std::vector<double> y;
    for (const double at : x) {
        y.push_back(100 + 0.3 * at);
    }
    EXPECT_THAT(line_segments(x, std::vector{to_a_tenth(y)}, 3), ElementsAre(12));
}

TEST(LineSegments, CutWhereALineEnds) {
    const auto x = doubling(12);
    std::vector<double> y;
    for (const double at : x) {
        y.push_back(at < 100 ? 100 + 0.3 * at : 700 + 0.1 * at);
    }
    EXPECT_THAT(line_segments(x, std::vector{to_a_tenth(y)}, 3), ElementsAre(7, 12));
}

TEST(LineSegments, CutWhereAnyOfSeveralSeriesBreaks) {
    const auto x = doubling(12);
    std::vector<double> flat;
    std::vector<double> broken;
    for (const double at : x) {
        flat.push_back(50);
        broken.push_back(at < 200 ? 10 : 40);
    }
    EXPECT_THAT(line_segments(x, std::vector{to_a_tenth(flat), to_a_tenth(broken)}, 3), ElementsAre(8, 12));
}

TEST(LineSegments, LeaveWhatIsWithinTheTolerance) {
    const auto x = doubling(12);
    std::vector<double> y;
    for (std::size_t i = 0; i < x.size(); ++i) {
        y.push_back(i % 2 == 0 ? 100 : 105);
    }
    EXPECT_THAT(line_segments(x, std::vector{to_a_tenth(y)}, 3), ElementsAre(12));
}

TEST(LineSegments, HaveAsManyPlacesAsAskedFor) {
    const auto x = doubling(9);
    std::vector<double> y;
    for (std::size_t i = 0; i < x.size(); ++i) {
        y.push_back(i == 4 ? 1'000 : 10);  // one place that fits nowhere
    }
    std::size_t begin = 0;
    for (const auto end : line_segments(x, std::vector{to_a_tenth(y)}, 3)) {
        EXPECT_GE(end - begin, 3U);
        begin = end;
    }
    EXPECT_EQ(begin, x.size());
}

TEST(LineSegments, AreOneForFewPlaces) {
    EXPECT_THAT(line_segments(doubling(5), std::vector{to_a_tenth({1, 100, 1, 100, 1})}, 3), ElementsAre(5));
    EXPECT_THAT(line_segments({}, std::vector{to_a_tenth({})}, 3), ElementsAre(0));
}

}  // namespace
}  // namespace fathom::stats
