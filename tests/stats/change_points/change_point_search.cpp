#include "stats/change_points/change_point_search.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "stats/change_points/curves.hpp"

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

struct Searched {
    std::vector<ChangePoint> found;
    int measured = 0;  ///< besides the sizes of the grid

    /// The change point that holds a size.
    [[nodiscard]] std::optional<ChangePoint> around(std::int64_t last_below) const {
        const auto at = std::ranges::find_if(found, [&](const ChangePoint& one) {
            return one.last_below <= last_below && last_below <= one.first_above;
        });
        return at != found.end() ? std::optional(*at) : std::nullopt;
    }
};

template <typename Measure>
Searched searched(const std::vector<CurvePoint>& grid, double scatter, const Measure& measure) {
    ChangePointSearch search(grid, scatter);
    Searched result;
    while (const auto x = search.next()) {
        search.add(measure(*x));
        ++result.measured;
    }
    result.found = search.found();
    return result;
}

Searched searched_without_noise(const Curve& curve) {
    const auto measure = [&](std::int64_t x) { return simulated(curve, x); };
    return searched(doubling_sizes(measure), 0, measure);
}

Searched searched_in_noise(const Curve& curve, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto measure = [&](std::int64_t x) { return measured(curve, x, random); };
    return searched(doubling_sizes(measure), 0, measure);
}

constexpr std::int64_t places[] = {1, 2, 100, 4032, 8191, 8192, 8193, 12288, 65536, 1'000'000};

TEST(ChangePointSearch, FindsAJumpToTheByte) {
    for (const auto last_below : places) {
        for (const auto& curve : jumping(last_below)) {
            const auto result = searched_without_noise(curve);
            const auto found = result.around(last_below);
            ASSERT_TRUE(found) << last_below;
            EXPECT_EQ(result.found.size(), 1U) << last_below;
            EXPECT_LE(result.measured, 20) << last_below << ": a halving each";
            EXPECT_EQ(found->last_below, last_below);
            EXPECT_EQ(found->first_above, last_below + 1);
            EXPECT_TRUE(found->jump);
            const auto x = static_cast<double>(last_below);
            EXPECT_NEAR(found->before, curve(x), 0.01 * curve(x));
            EXPECT_NEAR(found->after, curve(x + 1), 0.01 * curve(x + 1));
        }
    }
}

TEST(ChangePointSearch, FindsAJumpToTheByteInNoise) {
    for (const auto last_below : places) {
        for (const auto& curve : jumping(last_below)) {
            for (std::uint64_t seed = 0; seed < 3; ++seed) {
                const auto found = searched_in_noise(curve, seed).around(last_below);
                ASSERT_TRUE(found) << last_below;
                EXPECT_EQ(found->last_below, last_below);
                EXPECT_EQ(found->first_above, last_below + 1);
                EXPECT_GT(found->significance, 4);
            }
        }
    }
}

TEST(ChangePointSearch, FindsTheBytesOfTwoSwitches) {
    const auto curve = switching(3000, line(1000, 0.1), switching(12288, line(2000, 0.1), line(3000, 0.1)));
    const auto found = searched_without_noise(curve).found;
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].last_below, 3000);
    EXPECT_EQ(found[1].last_below, 12288);
}

TEST(ChangePointSearch, FindsASwitchBeforeTheLastSize) {
    const auto found =
        searched_without_noise(switching(3'000'000, line(1000, 1), line(2500, 0.5))).around(3'000'000);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->last_below, 3'000'000);
    EXPECT_EQ(found->first_above, 3'000'001);
}

TEST(ChangePointSearch, FindsABendToTheByteWhereTimesAreExact) {
    for (const std::int64_t at : {2500, 5000, 8192, 9000, 12288, 15'000, 16'000, 100'000}) {
        for (const auto& [below, above] : {std::pair{1.0, 2.0}, std::pair{2.0, 1.0}}) {
            const auto found = searched_without_noise(bent(at, below, above)).around(at);
            ASSERT_TRUE(found) << at;
            EXPECT_EQ(found->last_below, at);
            EXPECT_EQ(found->first_above, at + 1);
            EXPECT_FALSE(found->jump);
            EXPECT_NEAR(found->slope_after / found->slope_before, above / below, 0.01);
        }
    }
}

TEST(ChangePointSearch, FindsABendWithinAFewBytesWhereTimesAreRounded) {
    for (const std::int64_t at : {2500, 5000, 9000, 12288, 100'000}) {
        const auto result = searched_without_noise(bent(at, 0.37, 0.123));
        ASSERT_EQ(result.found.size(), 1U) << at;
        EXPECT_NEAR(static_cast<double>(result.found[0].last_below), static_cast<double>(at), 3);
        EXPECT_FALSE(result.found[0].jump);
    }
}

TEST(ChangePointSearch, IsHonestAboutBendsInNoise) {
    for (const auto& curve : {bent(12288, 1, 2), bent(12288, 0.37, 0.123)}) {
        int honest = 0;
        double width = 0;
        for (std::uint64_t seed = 0; seed < 200; ++seed) {
            if (const auto found = searched_in_noise(curve, seed).around(12288)) {
                ++honest;
                width += static_cast<double>(found->first_above - found->last_below);
            }
        }
        EXPECT_GE(honest, 190);
        EXPECT_LT(width / honest, 0.1 * 12288) << "the gap of the grid is 8192";
    }
}

TEST(ChangePointSearch, LooksAroundSizesThatItCannotAssign) {
    // Two parallel lines 10 % apart, known to 1 %, and a size whose time lies half way.
    std::vector<CurvePoint> points;
    for (std::int64_t x = 1; x <= 128; x *= 2) {
        const double t = x <= 16 ? 1000 : 1100;
        points.push_back({x, t, t - 10, t + 10});
    }
    ChangePointSearch search(points);
    EXPECT_EQ(search.next(), 24);
    search.add({24, 1050, 1020, 1080});
    ASSERT_EQ(search.next(), 20) << "no longer 24, but the edges of what is unclear";
    search.add({20, 1000, 990, 1010});
    EXPECT_EQ(search.next(), 28);
    search.add({28, 1100, 1090, 1110});
    ASSERT_EQ(search.found().size(), 1U);
    EXPECT_EQ(search.found()[0].last_below, 20);
    EXPECT_EQ(search.found()[0].first_above, 28);
}

TEST(ChangePointSearch, LeavesAChangePointAsItIsWhereASizeCannotBeMeasured) {
    const auto curve = switching(3000, line(1000, 0.1), switching(12288, line(2000, 0.1), line(3000, 0.1)));
    ChangePointSearch search(doubling_sizes([&](std::int64_t x) { return simulated(curve, x); }));
    ASSERT_EQ(search.next(), 3072);
    search.give_up();
    while (const auto x = search.next()) {
        search.add(simulated(curve, *x));
    }
    ASSERT_EQ(search.found().size(), 2U);
    EXPECT_EQ(search.found()[0].last_below, 2048);
    EXPECT_EQ(search.found()[0].first_above, 4096);
    EXPECT_EQ(search.found()[1].last_below, 12288);
    EXPECT_EQ(search.found()[1].first_above, 12289);
}

/// The standard error of a median as a share of its time, by size.
using Noise = std::function<double(std::int64_t)>;

Noise same(double share) {
    return [=](std::int64_t) { return share; };
}

/// As a copy through buffers of the library has it: its level wanders, that of long messages does not.
Noise up_to(std::int64_t last, double share) {
    return [=](std::int64_t x) { return x <= last && x > 2048 ? share : 0.005; };
}

/// From 512 B to 32 KiB; medians that are off as their intervals say.
Searched searched_with(const Curve& curve, const Noise& noise, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    const auto measure = [&](std::int64_t x) -> CurvePoint {
        const double t = curve(static_cast<double>(x));
        const double error = noise(x) * t;
        const double median = t + error * normal(random);
        return {x, median, median - 1.96 * error, median + 1.96 * error};
    };
    std::vector<CurvePoint> grid;
    for (std::int64_t x = 512; x <= 32768; x *= 2) {
        grid.push_back(measure(x));
    }
    return searched(grid, point_scatter, measure);
}

struct Counts {
    int right = 0;
    int wrong = 0;
};

/// Of 200 searches for a jump: those that found it to 64 bytes, and what else they found.
Counts counted(const Curve& curve, const Noise& noise, std::int64_t last_below) {
    Counts counts;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        for (const auto& at : searched_with(curve, noise, seed).found) {
            const auto off =
                std::max(std::abs(at.last_below - last_below), std::abs(at.first_above - last_below));
            const bool right = at.jump && off < 64;
            counts.right += right ? 1 : 0;
            counts.wrong += right ? 0 : 1;
        }
    }
    return counts;
}

TEST(ChangePointSearch, FindsAJumpThatNoiseHidesFromAfar) {
    // As measured of eager limits: lines through the sizes of the grid might just as well meet.
    for (const std::int64_t at : {2944, 5944, 9944, 13944}) {
        const auto counts = counted(switching(at, line(620, 0.06), line(1200, 0.066)), up_to(at, 0.05), at);
        EXPECT_GE(counts.right, 190) << at;
        EXPECT_LE(counts.wrong, 10) << at;
    }
}

TEST(ChangePointSearch, FindsAJumpBeforeTheLastSize) {
    const auto counts =
        counted(switching(19944, line(900, 0.034), line(1230, 0.065)), up_to(19944, 0.04), 19944);
    EXPECT_GE(counts.right, 190);
    EXPECT_LE(counts.wrong, 10);
}

TEST(ChangePointSearch, TakesNoSinglePointForAJump) {
    // One size of those that are looked at is slow for a reason of its own.
    const auto curve = switching(12287, line(600, 0.08), switching(12288, line(900, 0.08), line(600, 0.08)));
    const auto bent = [&](double x) { return curve(x) + (x > 8192 ? 0.08 * (x - 8192) : 0); };
    int taken = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        for (const auto& at : searched_with(bent, same(0.03), seed).found) {
            taken += at.jump && at.last_below > 8192 && at.first_above < 16384 ? 1 : 0;
        }
    }
    EXPECT_LE(taken, 20) << "21 if the errors of a line did not grow with the scatter around it";
}

TEST(ChangePointSearch, FindsNoneInNoiseAndDoesNotLookLong) {
    const std::vector<std::pair<Curve, Noise>> cases{
        {line(600, 0.08), same(0.005)},
        {line(600, 0.08), same(0.05)},
        {line(600, 0.08), up_to(9944, 0.05)},
        {[](double x) { return 500 + 2 * std::pow(x, 0.7); }, same(0.01)},
        {[](double x) { return 500 + 2 * std::pow(x, 0.7); }, same(0.05)},
        {[](double x) { return 1000 + 0.01 * std::pow(x, 1.2); }, same(0.01)}};
    constexpr int series = 300;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        int found = 0;
        int measured = 0;
        for (std::uint64_t seed = 0; seed < series; ++seed) {
            const auto result = searched_with(cases[i].first, cases[i].second, seed);
            found += static_cast<int>(result.found.size());
            measured += result.measured;
        }
        EXPECT_LE(found, series / 50) << i;
        EXPECT_LE(measured, 8 * series) << i;
    }
}

}  // namespace
}  // namespace fathom::stats
