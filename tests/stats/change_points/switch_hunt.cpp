#include "stats/change_points/switch_hunt.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "stats/change_points/curves.hpp"

namespace fathom::stats {
namespace {

/// The standard error of a median as a share of its time, by size.
using Noise = std::function<double(std::int64_t)>;

Noise same(double share) {
    return [=](std::int64_t) { return share; };
}

/// As a copy through buffers of the library has it: its level wanders, that of long messages does not.
Noise up_to(std::int64_t last, double share) {
    return [=](std::int64_t x) { return x <= last && x > 2048 ? share : 0.005; };
}

struct Hunted {
    std::vector<Switch> found;
    int measured = 0;  ///< besides the sizes of the grid
};

/// From 512 B to 32 KiB; medians that are off as their intervals say.
Hunted hunted(const Curve& curve, const Noise& noise, std::uint64_t seed) {
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
    SwitchHunt hunt(grid, SwitchHunt::real_scatter);
    Hunted result;
    while (const auto x = hunt.next()) {
        hunt.add(measure(*x));
        ++result.measured;
    }
    result.found = hunt.found();
    return result;
}

struct Counts {
    int right = 0;
    int wrong = 0;
};

/// Of 200 hunts for a jump: those that found it to 64 bytes, and what else they found.
Counts hunts(const Curve& curve, const Noise& noise, std::int64_t last_below) {
    Counts counts;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        for (const auto& at : hunted(curve, noise, seed).found) {
            const auto off =
                std::max(std::abs(at.last_below - last_below), std::abs(at.first_above - last_below));
            const bool right = at.jump && off < 64;
            counts.right += right ? 1 : 0;
            counts.wrong += right ? 0 : 1;
        }
    }
    return counts;
}

TEST(SwitchHunt, FindsAJumpThatNoiseHidesFromAfar) {
    // As measured of eager limits: lines through the sizes of the grid might just as well meet.
    for (const std::int64_t at : {2944, 5944, 9944, 13944}) {
        const auto counts = hunts(switching(at, line(620, 0.06), line(1200, 0.066)), up_to(at, 0.05), at);
        EXPECT_GE(counts.right, 190) << at;
        EXPECT_LE(counts.wrong, 10) << at;
    }
}

TEST(SwitchHunt, FindsAJumpBeforeTheLastSize) {
    const auto counts =
        hunts(switching(19944, line(900, 0.034), line(1230, 0.065)), up_to(19944, 0.04), 19944);
    EXPECT_GE(counts.right, 190);
    EXPECT_LE(counts.wrong, 10);
}

TEST(SwitchHunt, TakesNoSinglePointForAJump) {
    // One size of those that are looked at is slow for a reason of its own.
    const auto curve = switching(12287, line(600, 0.08), switching(12288, line(900, 0.08), line(600, 0.08)));
    const auto bent = [&](double x) { return curve(x) + (x > 8192 ? 0.08 * (x - 8192) : 0); };
    int taken = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        for (const auto& at : hunted(bent, same(0.03), seed).found) {
            taken += at.jump && at.last_below > 8192 && at.first_above < 16384 ? 1 : 0;
        }
    }
    EXPECT_LE(taken, 20) << "91 if a step did not have to stay";
}

TEST(SwitchHunt, FindsNoneInNoiseAndDoesNotLookLong) {
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
            const auto result = hunted(cases[i].first, cases[i].second, seed);
            found += static_cast<int>(result.found.size());
            measured += result.measured;
        }
        EXPECT_LE(found, series / 50) << i;
        EXPECT_LE(measured, 8 * series) << i;
    }
}

}  // namespace
}  // namespace fathom::stats
