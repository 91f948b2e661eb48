#include "tune/search/proposal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fathom::tune {
namespace {

/// Times of way 0 and others at sizes 8, 16, 32 ..., each known to 1 %.
RaceResult race_with(const std::vector<std::vector<double>>& by_way) {
    RaceResult found;
    const auto sizes = by_way.front().size();
    for (std::size_t i = 0; i < sizes; ++i) {
        const Bytes size{std::int64_t{8} << i};
        std::optional<BestWay> best;
        for (std::size_t way = 0; way < by_way.size(); ++way) {
            const double time = by_way[way][i];
            if (time == 0) {
                continue;
            }
            const RaceTime made{.point = {way, size}, .time_ns = time, .ci95_ns = {0.99 * time, 1.01 * time}};
            found.times.push_back(made);
            if (way == 0) {
                best = BestWay{.size = size, .first = made, .best = {}};
            } else if (!best->best || time < best->best->time_ns) {
                best->best = made;
            }
        }
        found.best.push_back(*best);
        found.sizes.push_back(size);
    }
    return found;
}

auto range(std::size_t way, std::int64_t first, std::int64_t last) {
    return ::testing::AllOf(::testing::Field(&Proposal::way, way),
                            ::testing::Field(&Proposal::first, Bytes{first}),
                            ::testing::Field(&Proposal::last, Bytes{last}));
}

TEST(Proposals, AreOfUsableWays) {
    const auto found = race_with({{100, 100, 100}, {80, 80, 80}, {50, 50, 50}});
    EXPECT_THAT(proposals(found), ::testing::ElementsAre(range(2, 8, 32)));
    EXPECT_THAT(proposals(found, [](std::size_t way) { return way == 1; }),
                ::testing::ElementsAre(range(1, 8, 32)));
    EXPECT_THAT(proposals(found, [](std::size_t) { return false; }), ::testing::IsEmpty());
}

TEST(Proposals, EndBeforeASizeThatIsTakenOut) {
    auto made = proposals(race_with({{100, 100, 100, 100, 100}, {90, 80, 70, 60, 50}}));
    take_out(made, Bytes{32});
    EXPECT_THAT(made, ::testing::ElementsAre(range(1, 8, 16), range(1, 64, 128)));
    EXPECT_NEAR(made[0].most_gain, 1.25, 1e-9);
    EXPECT_NEAR(made[1].least_gain, 100.0 / 60, 1e-9);
    take_out(made, Bytes{16});
    take_out(made, Bytes{8});
    take_out(made, Bytes{4096});
    EXPECT_THAT(made, ::testing::ElementsAre(range(1, 64, 128)));
}

TEST(Proposals, AreRangesWhereAnotherWayIsFaster) {
    const auto made =
        proposals(race_with({{100, 100, 100, 100, 100}, {150, 90, 60, 50, 70}, {200, 95, 99, 98, 50}}));
    EXPECT_THAT(made, ::testing::ElementsAre(range(1, 16, 64), range(2, 128, 128)));
    EXPECT_NEAR(made[0].least_gain, 100.0 / 90, 1e-9);
    EXPECT_NEAR(made[0].most_gain, 2, 1e-9);
    EXPECT_EQ(made[0].sizes.size(), 3U);
}

TEST(Proposals, AreNoneForLittleOrUncertainGains) {
    EXPECT_THAT(proposals(race_with({{100, 100, 100}, {98, 98, 98}})), ::testing::IsEmpty());
    auto uncertain = race_with({{100, 100, 100}, {90, 90, 90}});
    for (auto& time : uncertain.times) {
        if (time.point.way == 1) {
            time.ci95_ns = {70, 110};
        }
    }
    EXPECT_THAT(proposals(uncertain), ::testing::IsEmpty());
}

TEST(Proposals, NeedANeighbourThatAgrees) {
    EXPECT_THAT(proposals(race_with({{100, 100, 100}, {150, 80, 150}})), ::testing::IsEmpty())
        << "slower at both neighbours";
    EXPECT_THAT(proposals(race_with({{100, 100, 100}, {150, 80, 100.5}})),
                ::testing::ElementsAre(range(1, 16, 16)))
        << "as fast at one";
    EXPECT_THAT(proposals(race_with({{100, 100, 100}, {0, 80, 0}})), ::testing::IsEmpty())
        << "not measured there";
    EXPECT_THAT(proposals(race_with({{100}, {80}})), ::testing::ElementsAre(range(1, 8, 8)))
        << "there is none";
}

TEST(Proposals, TakeANeighbourOfAnotherJobThatIsFarFaster) {
    const auto by_two_jobs = [](double other) {
        auto found = race_with({{100, 100}, {50, other}, {other, 50}});
        for (auto& time : found.times) {
            time.round = time.time_ns == other ? 1 : 2;
        }
        for (auto& at : found.best) {
            at.first.round = at.best->round = 2;
        }
        return proposals(found);
    };
    EXPECT_THAT(by_two_jobs(51), ::testing::ElementsAre(range(1, 8, 8), range(2, 16, 16)));
    EXPECT_THAT(by_two_jobs(99), ::testing::IsEmpty()) << "jobs differ by as much";
}

TEST(Proposals, DoNotReachOverSizesThatWereNotMeasured) {
    auto found = race_with({{100, 100, 100, 100}, {50, 50, 50, 50}});
    found.sizes = {Bytes{8}, Bytes{16}, Bytes{20}, Bytes{32}, Bytes{64}};
    EXPECT_THAT(proposals(found), ::testing::ElementsAre(range(1, 8, 16), range(1, 32, 64)));
    found.sizes = {Bytes{8}, Bytes{12}, Bytes{16}, Bytes{20}, Bytes{32}, Bytes{48}, Bytes{64}};
    EXPECT_THAT(proposals(found), ::testing::IsEmpty()) << "no neighbour is known";
    auto alone = race_with({{100}, {50}});
    alone.sizes = {Bytes{8}, Bytes{16}};
    EXPECT_THAT(proposals(alone), ::testing::IsEmpty());
}

TEST(Proposals, CloseGapsThatSayNothingAgainstThem) {
    EXPECT_THAT(proposals(race_with({{100, 100, 100}, {80, 99, 80}})),
                ::testing::ElementsAre(range(1, 8, 32)));
    EXPECT_THAT(proposals(race_with({{100, 100, 100, 100, 100}, {80, 80, 110, 80, 80}})),
                ::testing::ElementsAre(range(1, 8, 16), range(1, 64, 128)));
}

}  // namespace
}  // namespace fathom::tune
