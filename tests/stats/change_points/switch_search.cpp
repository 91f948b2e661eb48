#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "stats/change_points/curves.hpp"
#include "stats/change_points/switches.hpp"

namespace fathom::stats {
namespace {

/// Two slopes that meet at a size; times in hundredths of a nanosecond.
Curve bent(std::int64_t at, double below, double above) {
    const auto meet = static_cast<double>(at);
    return [=](double x) {
        const double t = 1000 + below * std::min(x, meet) + above * std::max(0.0, x - meet);
        return std::round(t * 100) / 100;
    };
}

/// Laws with a jump after a size.
std::vector<Curve> jumping(std::int64_t last_below) {
    const Curve power = [](double x) { return 1000 + 0.1 * std::pow(x, 0.9); };
    const Curve slower = [](double x) { return 1300 + 0.13 * std::pow(x, 0.9); };
    return {switching(last_below, line(1000, 1), line(2500, 0.5)),
            switching(last_below, line(1000, 0.1), line(1500, 0.15)),
            switching(last_below, line(1000, 0.1), line(900, 0.09)), switching(last_below, power, slower)};
}

/// Where the candidate is if it holds the size.
std::optional<Switch> candidate(const std::vector<CurvePoint>& points, std::int64_t last_below) {
    const auto all = find_switches(points);
    const auto found = std::find_if(all.begin(), all.end(), [&](const Switch& one) {
        return one.last_below <= last_below && last_below <= one.first_above;
    });
    return found != all.end() ? std::optional(*found) : std::nullopt;
}

SwitchSearch searched_without_noise(const Curve& curve, std::int64_t last_below) {
    const auto points = doubling_sizes([&](std::int64_t x) { return simulated(curve, x); });
    SwitchSearch search(points, candidate(points, last_below).value());
    while (const auto x = search.next()) {
        search.add(simulated(curve, *x));
    }
    return search;
}

/// A size asked for again is measured with twice the repetitions.
std::optional<SwitchSearch> searched_in_noise(const Curve& curve, std::int64_t last_below,
                                              std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto points = doubling_sizes([&](std::int64_t x) { return measured(curve, x, random); });
    const auto start = candidate(points, last_below);
    if (!start) {
        return std::nullopt;
    }
    SwitchSearch search(points, *start);
    std::int64_t last = -1;
    int repetitions = 0;
    while (const auto x = search.next()) {
        repetitions = *x == last ? 2 * repetitions : 200;
        last = *x;
        search.add(measured(curve, *x, random, repetitions));
    }
    return search;
}

constexpr std::int64_t places[] = {1, 2, 100, 4032, 8191, 8192, 8193, 12288, 65536, 1'000'000};

TEST(SwitchSearch, FindsAJumpToTheByte) {
    for (const auto last_below : places) {
        for (const auto& curve : jumping(last_below)) {
            const auto search = searched_without_noise(curve, last_below);
            EXPECT_TRUE(search.exact()) << last_below;
            EXPECT_EQ(search.found().last_below, last_below);
            EXPECT_TRUE(search.found().jump);
            const auto x = static_cast<double>(last_below);
            EXPECT_NEAR(search.found().before, curve(x), 0.01 * curve(x));
            EXPECT_NEAR(search.found().after, curve(x + 1), 0.01 * curve(x + 1));
        }
    }
}

TEST(SwitchSearch, FindsAJumpToTheByteInNoise) {
    for (const auto last_below : places) {
        for (const auto& curve : jumping(last_below)) {
            for (std::uint64_t seed = 0; seed < 3; ++seed) {
                const auto search = searched_in_noise(curve, last_below, seed);
                ASSERT_TRUE(search) << last_below;
                EXPECT_TRUE(search->exact()) << last_below;
                EXPECT_EQ(search->found().last_below, last_below);
                EXPECT_GT(search->found().significance, 4);
            }
        }
    }
}

TEST(SwitchSearch, FindsTheBytesOfTwoSwitches) {
    const auto curve = switching(3000, line(1000, 0.1), switching(12288, line(2000, 0.1), line(3000, 0.1)));
    EXPECT_EQ(searched_without_noise(curve, 3000).found().last_below, 3000);
    EXPECT_EQ(searched_without_noise(curve, 12288).found().last_below, 12288);
}

TEST(SwitchSearch, FindsASwitchBeforeTheLastSize) {
    const auto search =
        searched_without_noise(switching(3'000'000, line(1000, 1), line(2500, 0.5)), 3'000'000);
    EXPECT_TRUE(search.exact());
    EXPECT_EQ(search.found().last_below, 3'000'000);
}

TEST(SwitchSearch, FindsABendToTheByteWhereTimesAreExact) {
    for (const std::int64_t at : {2500, 5000, 8192, 9000, 12288, 15'000, 16'000, 100'000}) {
        for (const auto& [below, above] : {std::pair{1.0, 2.0}, std::pair{2.0, 1.0}}) {
            const auto found = searched_without_noise(bent(at, below, above), at).found();
            EXPECT_EQ(found.last_below, at);
            EXPECT_EQ(found.first_above, at + 1);
            EXPECT_FALSE(found.jump);
            EXPECT_NEAR(found.slope_after / found.slope_before, above / below, 0.01);
        }
    }
}

TEST(SwitchSearch, FindsABendWithinAFewBytesWhereTimesAreRounded) {
    for (const std::int64_t at : {2500, 5000, 9000, 12288, 100'000}) {
        const auto found = searched_without_noise(bent(at, 0.37, 0.123), at).found();
        EXPECT_NEAR(static_cast<double>(found.last_below), static_cast<double>(at), 3);
        EXPECT_FALSE(found.jump);
    }
}

TEST(SwitchSearch, IsHonestAboutBendsInNoise) {
    for (const auto& curve : {bent(12288, 1, 2), bent(12288, 0.37, 0.123)}) {
        int honest = 0;
        double width = 0;
        for (std::uint64_t seed = 0; seed < 200; ++seed) {
            const auto search = searched_in_noise(curve, 12288, seed);
            if (search && search->found().last_below <= 12288 && search->found().first_above >= 12288) {
                ++honest;
                width += static_cast<double>(search->found().first_above - search->found().last_below);
            }
        }
        EXPECT_GE(honest, 190);
        EXPECT_LT(width / honest, 0.1 * 12288) << "the gap of the grid is 8192";
    }
}

TEST(SwitchSearch, AsksAgainBeforeItGivesUp) {
    // Two parallel laws 10 % apart, known to 1 %, and a size whose time lies half way.
    std::vector<CurvePoint> points;
    for (std::int64_t x = 1; x <= 128; x *= 2) {
        const double t = x <= 16 ? 1000 : 1100;
        points.push_back({x, t, t - 10, t + 10});
    }
    const auto found = find_switches(points);
    ASSERT_EQ(found.size(), 1U);
    SwitchSearch search(points, found[0]);
    EXPECT_EQ(search.next(), 24);
    search.add({24, 1050, 1000, 1100});
    EXPECT_EQ(search.next(), 24);
    search.add({24, 1050, 1010, 1090});
    EXPECT_EQ(search.next(), 24);
    search.add({24, 1050, 1020, 1080});
    ASSERT_EQ(search.next(), 20) << "no longer 24, but the edges of what is unclear";
    search.add({20, 1000, 990, 1010});
    EXPECT_EQ(search.next(), 28);
    search.add({28, 1100, 1090, 1110});
    EXPECT_EQ(search.found().last_below, 20);
    EXPECT_EQ(search.found().first_above, 28);
    EXPECT_FALSE(search.exact());
}

TEST(SwitchSearch, IgnoresSizesOutside) {
    const auto curve = switching(12288, line(1000, 1), line(2500, 0.5));
    const auto points = doubling_sizes([&](std::int64_t x) { return simulated(curve, x); });
    SwitchSearch search(points, candidate(points, 12288).value());
    search.add({8192, 1, 1, 1});
    search.add({16384, 1, 1, 1});
    search.add({1'000'000, 1, 1, 1});
    EXPECT_EQ(search.found().last_below, 8192);
    EXPECT_EQ(search.found().first_above, 16384);
    EXPECT_EQ(search.next(), 12288);
}

}  // namespace
}  // namespace fathom::stats
