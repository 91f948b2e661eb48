#include "tune/search/race.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tune/search/proposal.hpp"

namespace fathom::tune {
namespace {

using Cost = std::function<double(double bytes)>;

/// A way that takes a time for each message and each byte.
Cost line(double fixed_ns, double per_byte_ns) {
    return [=](double bytes) { return fixed_ns + per_byte_ns * bytes; };
}

std::vector<Bytes> sizes_to(std::int64_t largest, std::int64_t factor = 4) {
    std::vector<Bytes> sizes;
    for (std::int64_t size = 8; size <= largest; size *= factor) {
        sizes.push_back({size});
    }
    return sizes;
}

/// Measures costs that are known, and keeps account.
class Machine {
  public:
    explicit Machine(std::vector<Cost> ways, double noise = 0) : ways_(std::move(ways)), noise_(noise) {}

    RaceResult race_over(std::vector<Bytes> sizes, double resolution = 1e9) {
        RaceSettings settings{.ways = ways_.size(), .sizes = std::move(sizes)};
        settings.resolution = resolution;
        settings.simulated = simulated;
        return race(settings, [this](const RaceRound& round) { return measure(round); });
    }
    std::optional<RaceOutcome> measure(const RaceRound& round) {
        if (rounds.size() >= most_rounds) {
            return std::nullopt;
        }
        rounds.push_back(round);
        RaceOutcome outcome;
        for (const auto& point : round.points) {
            if (broken.contains(point.way)) {
                outcome.broken.push_back(point.way);
                continue;
            }
            const double truth = cost(point);
            if (std::isnan(truth)) {
                continue;
            }
            const double share = round.stage == RaceStage::decide ? noise_ / 3 : noise_;
            const double seen = truth * (1 + share * normal_(random_));
            outcome.times.push_back(
                {.point = point,
                 .time_ns = seen,
                 .ci95_ns = share == 0 ? stats::Interval{seen, seen}
                                       : stats::Interval{seen * (1 - 2 * share), seen * (1 + 2 * share)},
                 .exact = share == 0});
            spent_ns += truth;
        }
        return outcome;
    }
    [[nodiscard]] double cost(const RacePoint& point) const {
        return ways_[point.way](static_cast<double>(point.size.count));
    }
    [[nodiscard]] double least(Bytes size) const {
        double least = INFINITY;
        for (std::size_t way = 0; way < ways_.size(); ++way) {
            if (!broken.contains(way)) {
                least = std::fmin(least, cost({way, size}));
            }
        }
        return least;
    }
    [[nodiscard]] double exhaustive_ns(const std::vector<Bytes>& sizes) const {
        double all = 0;
        for (const auto size : sizes) {
            for (std::size_t way = 0; way < ways_.size(); ++way) {
                all += cost({way, size});
            }
        }
        return all;
    }
    /// The cost of what was found best, by that of what is best.
    [[nodiscard]] double worst_choice(const RaceResult& found) const {
        double worst = 1;
        for (const auto& at : found.best) {
            const auto& chosen = at.best && at.best->time_ns < at.first.time_ns ? *at.best : at.first;
            worst = std::max(worst, cost(chosen.point) / least(at.size));
        }
        return worst;
    }

    std::vector<RaceRound> rounds;
    std::set<std::size_t> broken;
    std::size_t most_rounds = 1000;
    bool simulated = false;
    double spent_ns = 0;

  private:
    std::vector<Cost> ways_;
    double noise_;
    std::mt19937_64 random_{5};
    std::normal_distribution<double> normal_{0, 1};
};

/// Sixteen processes, 10 us and 1 ns a byte: binomial, ring, scatter and allgather, linear, and worse ones.
std::vector<Cost> broadcasts() {
    std::vector<Cost> ways{line(40e3, 4), line(190e3, 1.9), line(80e3, 1.9), line(150e3, 15)};
    for (int i = 1; i <= 12; ++i) {
        ways.push_back(line(40e3 + 30e3 * i, 4 + 0.5 * i));
    }
    return ways;
}

TEST(Race, FindsTheBestOfEverySize) {
    Machine machine(broadcasts());
    const auto sizes = sizes_to(1 << 22);
    const auto found = machine.race_over(sizes);
    EXPECT_TRUE(found.finished);
    ASSERT_EQ(found.best.size(), sizes.size());
    EXPECT_EQ(machine.worst_choice(found), 1);
    EXPECT_EQ(found.best.front().gain(), 40.032e3 / found.best.front().best->time_ns);
}

TEST(Race, TakesAQuarterOfMeasuringEverything) {
    Machine machine(broadcasts());
    const auto sizes = sizes_to(1 << 22);
    machine.race_over(sizes);
    EXPECT_LT(machine.spent_ns, 0.25 * machine.exhaustive_ns(sizes));
}

TEST(Race, FindsWhatAProtocolMakesBest) {
    // From 64 KiB on one of the slow ones needs half of the time.
    auto ways = broadcasts();
    ways.push_back([](double bytes) { return bytes < 65536 ? 60e3 + 3 * bytes : 60e3 + 1.5 * bytes; });
    Machine machine(ways);
    const auto found = machine.race_over(sizes_to(1 << 22));
    EXPECT_LE(machine.worst_choice(found), 1.02);
}

TEST(Race, DecidesWithMoreEffortWhereTimesAreUncertain) {
    Machine machine(broadcasts(), 0.03);
    const auto found = machine.race_over(sizes_to(1 << 20));
    EXPECT_LE(machine.worst_choice(found), 1.05);
    EXPECT_EQ(machine.rounds.back().stage, RaceStage::decide);
    for (const auto& at : found.best) {
        if (!at.best) {
            continue;
        }
        const auto interval = at.gain_interval();
        EXPECT_LT(interval.low, at.gain());
        EXPECT_GT(interval.high, at.gain());
    }
    for (const auto& round : machine.rounds) {
        if (round.stage == RaceStage::decide) {
            std::map<Bytes, int> at;
            for (const auto& point : round.points) {
                ++at[point.size];
            }
            for (const auto& [size, ways] : at) {
                EXPECT_LE(ways, 4) << size.count;
            }
        }
    }
}

TEST(Race, ScoutsAtMoreSizesInSimulation) {
    Machine machine(broadcasts());
    machine.simulated = true;
    (void)machine.race_over(sizes_to(8 << 14, 2));  // 15 of them
    std::set<std::int64_t> sizes;
    for (const auto& point : machine.rounds.front().points) {
        sizes.insert(point.size.count);
    }
    EXPECT_THAT(sizes, ::testing::ElementsAre(8, 8 << 3, 8 << 6, 8 << 9, 8 << 11));
    for (std::int64_t few = 1; few <= 4; ++few) {
        Machine small(broadcasts());
        small.simulated = true;
        const auto found = small.race_over(sizes_to(8 << (few - 1), 2));
        EXPECT_EQ(found.best.size(), static_cast<std::size_t>(few));
        EXPECT_EQ(small.worst_choice(found), 1);
    }
}

TEST(Race, FindsWhatIsBestBeyondAChangeOfProtocolInSimulation) {
    // The second takes a leap at 12 KiB, after which a byte costs less: times below make it look hopeless.
    const Cost leaping = [](double bytes) { return bytes < 12'288 ? 80e3 + 3 * bytes : 160e3 + 1.8 * bytes; };
    Machine machine({line(40e3, 6), line(60e3, 3.2), leaping});
    machine.simulated = true;
    EXPECT_EQ(machine.worst_choice(machine.race_over(sizes_to(16 << 14, 2))), 1);
}

TEST(Race, FollowsTheBestToTheNextSizeInSimulation) {
    // Best up to 2 KiB and twenty times as slow from 16 KiB on: a line between says that it is slow at once.
    const Cost until_then = [](double bytes) { return bytes <= 2048 ? 50e3 : 20 * (100e3 + 4 * bytes); };
    Machine machine({line(100e3, 4), until_then});
    machine.simulated = true;
    EXPECT_EQ(machine.worst_choice(machine.race_over(sizes_to(16 << 14, 2))), 1);
}

TEST(Race, MeasuresOneOfThoseThatAreTheSame) {
    const auto once = broadcasts();
    auto ways = once;
    ways.insert(ways.end(), once.begin() + 1, once.begin() + 4);
    const auto sizes = sizes_to(1 << 20, 2);
    Machine without(once);
    Machine machine(ways);
    const auto alone = without.race_over(sizes);
    const auto found = machine.race_over(sizes);
    EXPECT_EQ(machine.worst_choice(found), 1);
    constexpr std::size_t scouted = 2;
    EXPECT_EQ(found.times.size(), alone.times.size() + scouted * 3);
}

TEST(Race, IsNotMisledByWhatItDoesNotMeasure) {
    // The last takes as long as the second where it was scouted last, and seems to grow less: were it waited
    // for, only the first, which is slow, would be measured beyond.
    const Cost second = line(10e3, 1);
    const Cost like_it_there = [&](double bytes) { return bytes > 3e4 ? second(bytes) : 40e3; };
    Machine machine({line(400e3, 40), second, line(100e3, 2), line(100e3, 2.5), like_it_there});
    machine.simulated = true;
    const auto found = machine.race_over(sizes_to(16 << 14, 2));
    EXPECT_EQ(machine.worst_choice(found), 1);
    const auto largest =
        std::ranges::count(found.times, Bytes{16 << 14}, [](const auto& time) { return time.point.size; });
    EXPECT_EQ(largest, 2) << "the first and the best";
}

TEST(Race, FindsTheBestWhereOneWayChoosesAmongOthers) {
    auto ways = broadcasts();
    ways.emplace_back([of = ways](double bytes) { return of[bytes < 3e4 ? 0 : 1](bytes); });
    Machine machine(ways);
    EXPECT_EQ(machine.worst_choice(machine.race_over(sizes_to(1 << 20, 2))), 1);
}

TEST(Race, MeasuresAllOfThoseThatAreAlikeWhereTimesAreUncertain) {
    const Cost same = line(40e3, 4);
    Machine machine({same, same, same}, 1e-5);
    const auto sizes = sizes_to(1 << 12);
    const auto found = machine.race_over(sizes);
    for (std::size_t way = 0; way < 3; ++way) {
        EXPECT_EQ(std::ranges::count(found.times, way, [](const auto& time) { return time.point.way; }),
                  static_cast<std::ptrdiff_t>(sizes.size()));
    }
}

TEST(Race, LocatesChangeOvers) {
    // 40e3 + 4 x and 80e3 + 1.9 x meet at 19048.
    Machine machine({line(40e3, 4), line(80e3, 1.9)});
    const auto found = machine.race_over(sizes_to(1 << 20, 16), 1.1);
    Bytes last_of_first{0};
    Bytes first_of_second{INT64_MAX};
    for (const auto& at : found.best) {
        const bool second = at.gain() > 1;
        (second ? first_of_second : last_of_first) =
            second ? std::min(first_of_second, at.size) : std::max(last_of_first, at.size);
    }
    EXPECT_LT(last_of_first.count, 19048);
    EXPECT_GT(first_of_second.count, 19048);
    EXPECT_LE(static_cast<double>(first_of_second.count), 1.1 * static_cast<double>(last_of_first.count));
}

TEST(Race, KeepsSizesNeighboursWhereNothingCouldBeMeasuredBetween) {
    // As where the time was up in the first launch of a round: no time between the sizes that were asked for.
    const auto only_asked = [](double small, double large) {
        return [=](double bytes) { return bytes == 16384 ? small : bytes == 32768 ? large : std::nan(""); };
    };
    Machine machine({only_asked(297, 575), only_asked(109, 447), only_asked(249, 430)});
    const auto found = machine.race_over({{16384}, {32768}}, 1.4);
    EXPECT_TRUE(found.finished);
    EXPECT_THAT(found.sizes, ::testing::ElementsAre(Bytes{16384}, Bytes{32768}));
    EXPECT_EQ(machine.rounds.back().stage, RaceStage::locate) << "it was tried";
    EXPECT_EQ(proposals(found).size(), 2U) << "both are faster at both sizes";
}

TEST(Race, LeavesOutWhatBreaks) {
    auto ways = broadcasts();
    ways.push_back(line(1e3, 0.1));  // best by far, if it worked
    Machine machine(ways);
    machine.broken = {ways.size() - 1};
    const auto found = machine.race_over(sizes_to(1 << 20));
    EXPECT_THAT(found.broken, ::testing::ElementsAre(ways.size() - 1));
    EXPECT_EQ(machine.worst_choice(found), 1);
    int tries = 0;
    for (const auto& round : machine.rounds) {
        tries +=
            std::ranges::any_of(round.points, [&](const auto& point) { return point.way == ways.size() - 1; })
                ? 1
                : 0;
    }
    EXPECT_EQ(tries, 1);
}

TEST(Race, TriesNothingTwiceThatIsNotForASize) {
    auto ways = broadcasts();
    ways.push_back([](double bytes) { return bytes > 100e3 ? std::nan("") : 20e3 + 3 * bytes; });
    Machine machine(ways);
    const auto found = machine.race_over(sizes_to(1 << 20));
    EXPECT_TRUE(found.finished);
    EXPECT_LT(machine.rounds.size(), 12U);
    EXPECT_EQ(found.best.front().best->point.way, ways.size() - 1);
    EXPECT_NE(found.best.back().best->point.way, ways.size() - 1);
}

TEST(Race, SaysWhatItKnowsWhenTheTimeIsUp) {
    Machine machine(broadcasts());
    machine.most_rounds = 1;
    const auto found = machine.race_over(sizes_to(1 << 20));
    EXPECT_FALSE(found.finished);
    EXPECT_EQ(found.rounds, 1);
    EXPECT_EQ(found.best.size(), 2U) << "the sizes that were scouted";
}

TEST(Race, OfOneSizeIsMeasuredOnce) {
    Machine machine({line(10, 1), line(5, 1), line(20, 1)});
    const auto found = machine.race_over({{0}});
    ASSERT_EQ(found.best.size(), 1U);
    EXPECT_EQ(found.best.front().best->point.way, 1U);
    EXPECT_EQ(found.best.front().gain(), 2);
    EXPECT_EQ(machine.rounds.size(), 1U);
}

TEST(Race, OfNothingIsNothing) {
    Machine machine({line(10, 1)});
    EXPECT_TRUE(machine.race_over({}).best.empty());
    const auto alone = machine.race_over(sizes_to(1 << 10));
    EXPECT_FALSE(alone.best.front().best);
    EXPECT_EQ(alone.best.front().gain(), 1);
}

TEST(Race, DecidesAmongWaysThatCanBeProposedToo) {
    // Three that no file can name are the fastest.
    Machine machine({line(1000, 1), line(100, 0.1), line(101, 0.1), line(102, 0.1), line(500, 0.5)}, 0.01);
    RaceSettings settings{.ways = 5, .sizes = sizes_to(1 << 20)};
    settings.resolution = 1e9;
    settings.usable = [](std::size_t way) { return way == 4; };
    const auto found = race(settings, [&](const RaceRound& round) { return machine.measure(round); });
    const auto made = proposals(found, settings.usable);
    ASSERT_EQ(made.size(), 1U);
    EXPECT_EQ(made[0].way, 4U);
    EXPECT_EQ(made[0].sizes.size(), settings.sizes.size());
}

TEST(Race, ComparesWhatWasMeasuredInOneJob) {
    const RaceTime early{.point = {1, {8}}, .time_ns = 90, .ci95_ns = {89, 91}, .round = 1};
    const RaceTime late{.point = {0, {8}}, .time_ns = 100, .ci95_ns = {99, 101}, .round = 3};
    EXPECT_FALSE(comparable(early, late));
    RaceResult found;
    found.best = {{.size = {8}, .first = late, .best = {}}};
    found.times = {late, early};
    EXPECT_TRUE(proposals(found).empty());
    found.times[1].round = 3;
    EXPECT_EQ(proposals(found).size(), 1U);
}

}  // namespace
}  // namespace fathom::tune
