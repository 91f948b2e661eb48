#include "clock/schedule.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "clock/names.hpp"

namespace fathom::clock {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int largest_group = 300;
constexpr int million = 1'000'000;

std::size_t index(int rank) {
    return static_cast<std::size_t>(rank);
}

/// What is wrong with a rank's own view: a failure message or nothing.
std::string fault_of_view(const std::vector<PingRound>& view, int rank, int rounds) {
    int last_round = -1;
    for (const auto& exchange : view) {
        if (exchange.round <= last_round || exchange.round >= rounds) {
            return "rank " + std::to_string(rank) + " has a round that is out of order";
        }
        last_round = exchange.round;
        const auto& clients = exchange.clients;
        const auto asks = std::count(clients.begin(), clients.end(), rank);
        const bool serves = exchange.server == rank;
        if (clients.empty() || asks + (serves ? 1 : 0) != 1) {
            return "rank " + std::to_string(rank) + " has an exchange that is not its own";
        }
    }
    return {};
}

/// All exchanges of a schedule as their servers see them, and who asks whom.
struct Survey {
    std::vector<std::vector<PingRound>> served;           ///< by server, in the order of rounds
    std::vector<std::vector<std::pair<int, int>>> asked;  ///< by client: round and server
    std::string fault;
};

/// Whether the server of an exchange that a client sees has the same one.
bool known_to_server(const Survey& all, const PingRound& seen) {
    const auto& served = all.served[index(seen.server)];
    const auto twin = std::lower_bound(served.begin(), served.end(), seen.round,
                                       [](const PingRound& one, int round) { return one.round < round; });
    return twin != served.end() && *twin == seen;
}

/// Looks at every rank: at most one exchange per round, and both ends of an exchange see the same one.
Survey survey(const Schedule& schedule, int size) {
    Survey all{std::vector<std::vector<PingRound>>(index(size)),
               std::vector<std::vector<std::pair<int, int>>>(index(size)),
               {}};
    std::vector<PingRound> unchecked;  // until the server has been looked at
    std::size_t clients = 0;
    std::size_t views = 0;
    int rounds = 0;
    for (int rank = 0; rank < size && all.fault.empty(); ++rank) {
        auto view = schedule.ping_rounds(rank);
        all.fault = fault_of_view(view, rank, schedule.rounds());
        for (auto& exchange : view) {
            rounds = std::max(rounds, exchange.round + 1);
            if (exchange.server == rank) {
                clients += exchange.clients.size();
                all.served[index(rank)].push_back(std::move(exchange));
                continue;
            }
            ++views;
            all.asked[index(rank)].emplace_back(exchange.round, exchange.server);
            if (exchange.server > rank) {
                unchecked.push_back(std::move(exchange));
            } else if (!known_to_server(all, exchange)) {
                all.fault = "rank " + std::to_string(rank) + " and its server see different ping_rounds";
            }
        }
    }
    const auto known = [&](const PingRound& seen) { return known_to_server(all, seen); };
    if (all.fault.empty() && (views != clients || !std::all_of(unchecked.begin(), unchecked.end(), known))) {
        all.fault = "some client and its server see different ping_rounds";
    }
    if (all.fault.empty() && rounds != schedule.rounds()) {
        all.fault = "the last round is empty";
    }
    return all;
}

/// Every rank but 0 asks exactly once, and somebody who has asked in an earlier round.
std::string fault_going_down(const Schedule& schedule, int size) {
    const auto all = survey(schedule, size);
    if (!all.fault.empty()) {
        return all.fault;
    }
    if (schedule.flow() != Flow::down || !all.asked[0].empty()) {
        return "rank 0 does not lead";
    }
    for (int rank = 1; rank < size; ++rank) {
        if (all.asked[index(rank)].size() != 1) {
            return "rank " + std::to_string(rank) + " is not synchronised exactly once";
        }
        const auto [round, server] = all.asked[index(rank)].front();
        if (server != 0 &&
            (all.asked[index(server)].size() != 1 || all.asked[index(server)][0].first >= round)) {
            return "the server of rank " + std::to_string(rank) + " does not know the time yet";
        }
    }
    return {};
}

/// Below the power of two, every rank but 0 serves once, after it has asked; the others ask once at the end.
std::string fault_going_up(const Schedule& schedule, int size) {
    const auto all = survey(schedule, size);
    if (!all.fault.empty()) {
        return all.fault;
    }
    const int power = power_of_two_within(size);
    const int steps = schedule.rounds() - (size > power ? 1 : 0);
    std::vector<bool> reached(index(size));
    reached[0] = true;
    for (int rank = 1; rank < size; ++rank) {
        const auto& asked = all.asked[index(rank)];
        const auto& served = all.served[index(rank)];
        int partner = -1;
        if (rank < power) {
            const auto in_group = std::count_if(served.begin(), served.end(),
                                                [&](const PingRound& one) { return one.round < steps; });
            if (in_group != 1 || served.front().clients.size() != 1 ||
                (!asked.empty() && asked.back().first >= served.front().round)) {
                return "rank " + std::to_string(rank) + " does not serve once after it has asked";
            }
            partner = served.front().clients.front();
        } else {
            if (asked.size() != 1 || !served.empty() || asked.front().first != steps) {
                return "rank " + std::to_string(rank) + " does not ask once at the end";
            }
            partner = asked.front().second;
        }
        if (partner >= rank || !reached[index(partner)]) {
            return "rank " + std::to_string(rank) + " is not connected to rank 0";
        }
        reached[index(rank)] = true;
    }
    return schedule.flow() == Flow::up ? "" : "offsets do not go up";
}

int height_of_tree(int size, int arity) {
    std::int64_t width = 1;
    int height = 0;
    for (std::int64_t reached = 1; reached < size; reached += width) {
        width *= arity;
        ++height;
    }
    return height;
}

struct Layout {
    std::string name;
    std::function<int(int)> host_of;
};

std::vector<Layout> layouts(int size, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<int> any(index(size));
    for (auto& host : any) {
        host = std::uniform_int_distribution<int>(-5, size / 8 + 1)(random);
    }
    return {
        {"one rank a host", [](int rank) { return rank * 7; }},
        {"four a host", [](int rank) { return rank / 4; }},
        {"one host", [](int) { return -3; }},
        {"round robin", [size](int rank) { return rank % std::max(1, size / 4); }},
        {"at random", [any](int rank) { return any[index(rank)]; }},
    };
}

std::vector<int> hosts(const Layout& layout, int size) {
    std::vector<int> all;
    for (int rank = 0; rank < size; ++rank) {
        all.push_back(layout.host_of(rank));
    }
    return all;
}

TEST(PowerOfTwoWithin, IsTheLargestThatIsNotLarger) {
    EXPECT_EQ(power_of_two_within(1), 1);
    EXPECT_EQ(power_of_two_within(2), 2);
    EXPECT_EQ(power_of_two_within(3), 2);
    EXPECT_EQ(power_of_two_within(7), 4);
    EXPECT_EQ(power_of_two_within(8), 8);
    EXPECT_EQ(power_of_two_within(million), 524'288);
    EXPECT_EQ(power_of_two_within(2'147'483'647), 1'073'741'824);
}

TEST(LinearSchedule, SynchronisesEveryRankWithRank0InTurn) {
    for (int size = 1; size <= largest_group; ++size) {
        const auto schedule = linear_schedule(size);
        EXPECT_EQ(schedule->rounds(), size - 1);
        EXPECT_EQ(fault_going_down(*schedule, size), "") << size;
    }
    EXPECT_THAT(linear_schedule(3)->ping_rounds(0), ElementsAre(PingRound{0, 0, {1}}, PingRound{1, 0, {2}}));
    EXPECT_THAT(linear_schedule(3)->ping_rounds(2), ElementsAre(PingRound{1, 0, {2}}));
}

TEST(LinearSchedule, WorksForAMillionRanks) {
    const auto schedule = linear_schedule(million);
    EXPECT_EQ(schedule->rounds(), million - 1);
    EXPECT_EQ(fault_going_down(*schedule, million), "");
}

TEST(LogSchedule, ConnectsEveryRankInALogarithmOfRounds) {
    for (int size = 1; size <= largest_group; ++size) {
        const auto schedule = log_schedule(size);
        int rounds = 0;  // the logarithm rounded up
        while ((1 << rounds) < size) {
            ++rounds;
        }
        EXPECT_EQ(schedule->rounds(), rounds) << size;
        EXPECT_EQ(fault_going_up(*schedule, size), "") << size;
    }
}

TEST(LogSchedule, WorksForAMillionRanks) {
    const auto schedule = log_schedule(million);
    EXPECT_EQ(schedule->rounds(), 19 + 1);
    EXPECT_EQ(fault_going_up(*schedule, million), "");
}

// The example of the paper: 1 to 0 and 3 to 2, then 2 to 0, then the rest.
TEST(LogSchedule, IsThePublishedOneForSevenRanks) {
    const auto schedule = log_schedule(7);
    EXPECT_EQ(schedule->rounds(), 3);
    const PingRound one{0, 1, {0}};
    const PingRound three{0, 3, {2}};
    const PingRound two{1, 2, {0}};
    const PingRound four{2, 0, {4}};
    const PingRound five{2, 1, {5}};
    const PingRound six{2, 2, {6}};
    EXPECT_THAT(schedule->ping_rounds(0), ElementsAre(one, two, four));
    EXPECT_THAT(schedule->ping_rounds(1), ElementsAre(one, five));
    EXPECT_THAT(schedule->ping_rounds(2), ElementsAre(three, two, six));
    EXPECT_THAT(schedule->ping_rounds(3), ElementsAre(three));
    EXPECT_THAT(schedule->ping_rounds(4), ElementsAre(four));
    EXPECT_THAT(schedule->ping_rounds(5), ElementsAre(five));
    EXPECT_THAT(schedule->ping_rounds(6), ElementsAre(six));
}

TEST(TreeSchedule, SynchronisesEveryRankInTheRoundOfItsDepth) {
    for (const int arity : {1, 2, 3, 8, 100}) {
        for (int size = 1; size <= largest_group; ++size) {
            const auto schedule = tree_schedule(size, arity);
            EXPECT_EQ(schedule->rounds(), height_of_tree(size, arity)) << size << " by " << arity;
            EXPECT_EQ(fault_going_down(*schedule, size), "") << size << " by " << arity;
        }
    }
    EXPECT_THAT(tree_schedule(6, 2)->ping_rounds(1),
                ElementsAre(PingRound{0, 0, {1, 2}}, PingRound{1, 1, {3, 4}}));
    EXPECT_THAT(tree_schedule(6, 2)->ping_rounds(5), ElementsAre(PingRound{1, 2, {5}}));
}

TEST(TreeSchedule, WorksForAMillionRanks) {
    for (const int arity : {2, 3, 8, 100}) {
        const auto schedule = tree_schedule(million, arity);
        EXPECT_EQ(schedule->rounds(), height_of_tree(million, arity)) << arity;
        EXPECT_EQ(fault_going_down(*schedule, million), "") << arity;
    }
}

TEST(TreeSchedule, OfArityOneIsAChain) {
    const auto schedule = tree_schedule(million, 1);
    EXPECT_EQ(schedule->rounds(), million - 1);
    EXPECT_THAT(schedule->ping_rounds(500),
                ElementsAre(PingRound{499, 499, {500}}, PingRound{500, 500, {501}}));
    EXPECT_THAT(schedule->ping_rounds(million - 1),
                ElementsAre(PingRound{million - 2, million - 2, {million - 1}}));
}

TEST(TreeSchedule, TakesTheLargestArity) {
    const auto schedule = tree_schedule(5, 2'147'483'647);
    EXPECT_EQ(schedule->rounds(), 1);
    EXPECT_THAT(schedule->ping_rounds(3), ElementsAre(PingRound{0, 0, {1, 2, 3, 4}}));
}

TEST(HostsSchedule, SynchronisesEveryRankInAnyLayout) {
    for (int size = 1; size <= largest_group; ++size) {
        for (const auto& layout : layouts(size, static_cast<std::uint64_t>(size))) {
            for (const int arity : {1, 2, 3, 8, 100}) {
                const auto schedule = hosts_schedule(hosts(layout, size), arity);
                ASSERT_EQ(fault_going_down(*schedule, size), "")
                    << size << " ranks, " << layout.name << ", by " << arity;
            }
        }
    }
}

TEST(HostsSchedule, WorksForAMillionRanks) {
    for (const auto& layout : layouts(million, 1)) {
        if (layout.name == "one host" || layout.name == "one rank a host") {
            continue;  // no more than a tree
        }
        const auto schedule = hosts_schedule(hosts(layout, million), default_arity);
        EXPECT_EQ(fault_going_down(*schedule, million), "") << layout.name;
    }
}

TEST(HostsSchedule, TakesAsManyRoundsAsBothTrees) {
    for (int size = 1; size <= largest_group; ++size) {
        for (const int arity : {1, 2, 8}) {
            const auto four = hosts({"", [](int rank) { return rank / 4; }}, size);
            EXPECT_EQ(hosts_schedule(four, arity)->rounds(),
                      height_of_tree((size + 3) / 4, arity) + height_of_tree(std::min(size, 4), arity));
        }
    }
}

TEST(HostsSchedule, CrossesToAnotherHostOncePerHost) {
    for (const auto& layout : layouts(200, 3)) {
        const auto host_of = hosts(layout, 200);
        const auto schedule = hosts_schedule(host_of, 3);
        int crossings = 0;
        for (int rank = 1; rank < 200; ++rank) {
            const auto asking = schedule->ping_rounds(rank).front();
            crossings += host_of[index(asking.server)] == host_of[index(rank)] ? 0 : 1;
        }
        auto distinct = host_of;
        std::sort(distinct.begin(), distinct.end());
        const auto end = std::unique(distinct.begin(), distinct.end());
        EXPECT_EQ(crossings, end - distinct.begin() - 1) << layout.name;
    }
}

TEST(HostsSchedule, GoesBetweenHostsFirst) {
    // Ranks 0, 2, 4 on one host, 1 and 3 on another.
    const auto schedule = hosts_schedule(std::vector{9, 5, 9, 5, 9}, 8);
    EXPECT_EQ(schedule->rounds(), 2);
    EXPECT_THAT(schedule->ping_rounds(0), ElementsAre(PingRound{0, 0, {1}}, PingRound{1, 0, {2, 4}}));
    EXPECT_THAT(schedule->ping_rounds(1), ElementsAre(PingRound{0, 0, {1}}, PingRound{1, 1, {3}}));
    EXPECT_THAT(schedule->ping_rounds(4), ElementsAre(PingRound{1, 0, {2, 4}}));
}

TEST(EverySchedule, OfOneRankHasNothingToDo) {
    const std::vector<int> alone{0};
    for (const auto scheme : values_of<Scheme>) {
        const auto chosen = choose_schedule(scheme, alone, default_arity);
        EXPECT_EQ(chosen.schedule->rounds(), 0) << to_text(scheme);
        EXPECT_THAT(chosen.schedule->ping_rounds(0), IsEmpty()) << to_text(scheme);
    }
}

TEST(ChooseSchedule, TakesEveryNameByItself) {
    const std::vector<int> host_of{0, 0, 1, 1, 2, 2};
    for (const auto scheme : values_of<Scheme>) {
        const auto chosen = choose_schedule(scheme, host_of, 2);
        EXPECT_EQ(chosen.scheme, scheme == Scheme::automatic ? Scheme::hosts : scheme);
    }
    EXPECT_EQ(choose_schedule(Scheme::linear, host_of, 2).schedule->rounds(), 5);
    EXPECT_EQ(choose_schedule(Scheme::log, host_of, 2).schedule->rounds(), 3);
    EXPECT_EQ(choose_schedule(Scheme::tree, host_of, 5).schedule->rounds(), 1);
    EXPECT_EQ(choose_schedule(Scheme::hosts, host_of, 5).schedule->rounds(), 2);
}

TEST(ChooseSchedule, PrefersHostsOnlyWhereOneHasSeveralRanks) {
    EXPECT_EQ(choose_schedule(Scheme::automatic, std::vector{3, 1, 2}, 8).scheme, Scheme::tree);
    EXPECT_EQ(choose_schedule(Scheme::automatic, std::vector{3, 1, 3}, 8).scheme, Scheme::hosts);
    EXPECT_EQ(choose_schedule(Scheme::automatic, std::vector{3, 1, 3}, 8).schedule->rounds(), 2);
}

}  // namespace
}  // namespace fathom::clock
