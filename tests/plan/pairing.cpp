#include "plan/pairing.hpp"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "base/test_support.hpp"

namespace fathom::plan {
namespace {

using testing::refusal_of;
using Words = std::vector<std::string>;
using Ranks = std::vector<int>;

std::string refusal_of_pairs(const Words& pairs) {
    return refusal_of([&] { check_pairs(pairs); });
}

std::string refusal_of_file(std::string_view text) {
    return refusal_of([&] { read_pairs(text, "pairs.txt"); });
}

TEST(Pair, IsTwoDifferentProcessesInTheirOrder) {
    EXPECT_EQ(parse_pair("0-1"), std::pair(0, 1));
    EXPECT_EQ(parse_pair("2-15"), std::pair(2, 15));
    EXPECT_EQ(parse_pair("15-2"), std::pair(15, 2));
    EXPECT_EQ(parse_pair("0-100000000"), std::pair(0, 100'000'000));
}

TEST(Pair, IsRefusedIfItIsAnythingElse) {
    for (const auto* junk : {"", "-", "5", "5-", "-5", "5-5", "a-b", "1-2-3", "1--2", " 1-2", "1-2 ", "1 2",
                             "1,2", "0-100000001", "0-99999999999999999999", "0x1-2", "+1-2"}) {
        EXPECT_EQ(refusal_of([&] { parse_pair(junk); }), "give two different processes such as 0-5") << junk;
    }
}

TEST(Pairs, HoldEveryProcessOnce) {
    EXPECT_EQ(refusal_of_pairs({"0-1"}), "nothing was refused");
    EXPECT_EQ(refusal_of_pairs({"5-0", "1-4", "3-2"}), "nothing was refused");
    EXPECT_EQ(refusal_of_pairs({"0-1", "2-x"}), "give two different processes such as 0-5");
    EXPECT_EQ(refusal_of_pairs({"0-1", "2-3", "4-1"}), "process 1 is already in pair 1; list each once");
    EXPECT_EQ(refusal_of_pairs({"0-1", "2-3", "2-5"}), "process 2 is already in pair 2; list each once");
    EXPECT_EQ(refusal_of_pairs({"0-1", "2-4"}),
              "process 4 is too high: 2 pairs use processes 0 to 3, each once");
}

TEST(PairsFile, HasTwoProcessesALine) {
    EXPECT_EQ(read_pairs("0 3\n1 2\n", "f"), (Words{"0-3", "1-2"}));
    EXPECT_EQ(read_pairs("3\t0\n  2   1", "f"), (Words{"3-0", "2-1"}));
    EXPECT_EQ(read_pairs("# who with whom\n\n0 1  # neighbours\n   \n2 3\r\n", "f"), (Words{"0-1", "2-3"}));
}

TEST(PairsFile, IsRefusedWithTheLineAtFault) {
    const std::string mend = "give two different processes, such as '0 5'.";
    EXPECT_EQ(refusal_of_file("0 1\n2\n"), "pairs.txt:2: " + mend);
    EXPECT_EQ(refusal_of_file("# two\n\n0 1 2\n"), "pairs.txt:3: " + mend);
    EXPECT_EQ(refusal_of_file("0 1\n2 2\n"), "pairs.txt:2: " + mend);
    EXPECT_EQ(refusal_of_file("0-1\n"), "pairs.txt:1: " + mend);
    EXPECT_EQ(refusal_of_file("0 -1\n"), "pairs.txt:1: " + mend);
    EXPECT_EQ(refusal_of_file("0 one\n"), "pairs.txt:1: " + mend);
    EXPECT_EQ(refusal_of_file("0 1 #\n\n2 3\n1 4\n"),
              "pairs.txt:4: process 1 is already in line 1; list each once.");
    EXPECT_EQ(refusal_of_file("\n0 9\n1 2\n"),
              "pairs.txt:2: process 9 is too high: 2 pairs use processes 0 to 3, each once.");
    for (const auto* nothing : {"", "\n\n", "# 0 1\n"}) {
        EXPECT_EQ(refusal_of_file(nothing),
                  "pairs.txt has no pairs; give two processes per line, such as '0 5'.")
            << nothing;
    }
}

TEST(HostNumbers, CountHostsInTheOrderInWhichTheyAppear) {
    EXPECT_EQ(host_numbers(Words{"b", "a", "b", "c", "a"}), (Ranks{0, 1, 0, 2, 1}));
    EXPECT_EQ(host_numbers(Words{}), Ranks{});
}

/// Pairs on one host. Checks that all but an odd one have a mutual partner, and that
/// one of the two leads.
int on_one_host(const Pairing& pairing, const Ranks& hosts) {
    const auto procs = static_cast<int>(hosts.size());
    EXPECT_EQ(pairing.partner.size(), hosts.size());
    EXPECT_EQ(pairing.leads.size(), hosts.size());
    int alone = 0;
    int together = 0;
    for (int rank = 0; rank < procs; ++rank) {
        const auto at = static_cast<std::size_t>(rank);
        const int partner = pairing.partner[at];
        if (partner == nobody) {
            ++alone;
            EXPECT_FALSE(pairing.leads[at]);
            continue;
        }
        const auto other = static_cast<std::size_t>(partner);
        EXPECT_NE(partner, rank);
        EXPECT_EQ(pairing.partner.at(other), rank);
        EXPECT_NE(pairing.leads[at], pairing.leads[other]);
        together += hosts[at] == hosts[other] ? 1 : 0;
    }
    EXPECT_EQ(alone, procs % 2);
    return together / 2;
}

TEST(Pairing, IsOfEachWithTheOneHalfOfAllFurtherOn) {
    const auto pairing = pairing_of({}, Ranks{0, 0, 1, 1});
    EXPECT_EQ(pairing.partner, (Ranks{2, 3, 0, 1}));
    EXPECT_EQ(pairing.leads, (std::vector<bool>{true, true, false, false}));
    // Where nobody can be apart, too; and the last of an odd number is left over.
    EXPECT_EQ(pairing_of({}, Ranks{0, 0, 0, 0}).partner, (Ranks{2, 3, 0, 1}));
    EXPECT_EQ(pairing_of({}, Ranks{0, 1, 2, 3, 4}).partner, (Ranks{2, 3, 0, 1, nobody}));
    EXPECT_EQ(pairing_of({}, Ranks{0, 0, 0, 0, 0}).partner, (Ranks{2, 3, 0, 1, nobody}));
    EXPECT_EQ(pairing_of({}, Ranks{0}).partner, Ranks{nobody});
}

TEST(Pairing, CrossesHostsWhereRanksArePlacedRoundRobin) {
    const Ranks two{0, 1, 0, 1, 0, 1, 0, 1};
    EXPECT_EQ(pairing_of({}, two).partner, (Ranks{1, 0, 3, 2, 5, 4, 7, 6}));
    EXPECT_EQ(on_one_host(pairing_of({}, two), two), 0);
    const Ranks four{0, 1, 2, 3, 0, 1, 2, 3};
    EXPECT_EQ(on_one_host(pairing_of({}, four), four), 0);
}

/// No pairing can have fewer: those of the largest host who find nobody elsewhere, less the one left over.
int least_on_one_host(const Ranks& hosts) {
    const auto procs = static_cast<int>(hosts.size());
    int largest = 0;
    for (const int host : hosts) {
        largest = std::max(largest, static_cast<int>(std::count(hosts.begin(), hosts.end(), host)));
    }
    return std::max(0, 2 * largest - procs) / 2;
}

TEST(Pairing, LeavesAsFewAsCanBeOnOneHost) {
    EXPECT_EQ(pairing_of({}, Ranks{0, 0, 1}).partner, (Ranks{2, nobody, 0}));
    EXPECT_EQ(least_on_one_host({0, 0, 0, 1}), 1);
    EXPECT_EQ(least_on_one_host({0, 0, 0, 1, 1}), 0);
    // All placements of up to seven ranks on three hosts: crowded ones and odd numbers among them.
    for (int procs = 2; procs <= 7; ++procs) {
        int placements = 1;
        for (int i = 0; i < procs; ++i) {
            placements *= 3;
        }
        for (int number = 0; number < placements; ++number) {
            Ranks hosts;
            for (int i = 0, rest = number; i < procs; ++i, rest /= 3) {
                hosts.push_back(rest % 3);
            }
            ASSERT_EQ(on_one_host(pairing_of({}, hosts), hosts), least_on_one_host(hosts))
                << procs << " ranks, placement " << number;
        }
    }
}

TEST(Pairing, IsAsAskedForWhereverRanksAre) {
    const Ranks one_host{0, 0, 0, 0};
    const auto pairing = pairing_of(Words{"3-0", "1-2"}, one_host);
    EXPECT_EQ(pairing.partner, (Ranks{3, 2, 1, 0}));
    EXPECT_EQ(pairing.leads, (std::vector<bool>{false, true, false, true}));
}

TEST(Pairing, LeavesOutPairsOfWhichOneIsNotThere) {
    EXPECT_EQ(pairing_of(Words{"0-3", "1-2"}, Ranks{0, 0, 0}).partner, (Ranks{nobody, 2, 1}));
    EXPECT_EQ(pairing_of(Words{"3-0", "2-1"}, Ranks{0, 0, 0}).partner, (Ranks{nobody, 2, 1}));
}

TEST(Tournament, LetsEveryPairMeetOnceAndNobodyTwiceInARound) {
    for (int procs = 2; procs <= 33; ++procs) {
        std::set<std::pair<int, int>> met;
        const int rounds = tournament_rounds(procs);
        EXPECT_EQ(rounds, procs % 2 == 0 ? procs - 1 : procs);
        for (int round = 0; round < rounds; ++round) {
            int alone = 0;
            for (int rank = 0; rank < procs; ++rank) {
                const int partner = tournament_partner(procs, round, rank);
                if (partner == nobody) {
                    ++alone;
                    continue;
                }
                ASSERT_TRUE(partner >= 0 && partner < procs && partner != rank) << procs << " " << round;
                ASSERT_EQ(tournament_partner(procs, round, partner), rank) << procs << " " << round;
                if (rank < partner) {
                    EXPECT_TRUE(met.emplace(rank, partner).second) << rank << " and " << partner << " again";
                }
            }
            EXPECT_EQ(alone, procs % 2) << procs << " " << round;
        }
        EXPECT_EQ(met.size(), static_cast<std::size_t>(procs) * static_cast<std::size_t>(procs - 1) / 2);
    }
}

TEST(Tournament, OfOneHasNobodyToMeet) {
    for (int round = 0; round < tournament_rounds(1); ++round) {
        EXPECT_EQ(tournament_partner(1, round, 0), nobody);
    }
}

/// Hosts of ranks, with so many on each, by block.
Ranks on_hosts(const std::vector<int>& ranks_on) {
    Ranks hosts;
    for (std::size_t host = 0; host < ranks_on.size(); ++host) {
        hosts.insert(hosts.end(), static_cast<std::size_t>(ranks_on[host]), static_cast<int>(host));
    }
    return hosts;
}

/// Expects a tournament in which no host is in two pairs of a round.
void expect_one_pair_per_host(const Ranks& hosts, std::int64_t rounds) {
    const PairSchedule schedule(hosts, false);
    EXPECT_EQ(schedule.rounds(), rounds);
    std::set<std::pair<int, int>> met;
    for (std::int64_t round = 0; round < schedule.rounds(); ++round) {
        std::multiset<int> busy;
        for (int rank = 0; rank < static_cast<int>(hosts.size()); ++rank) {
            const int partner = schedule.partner(round, rank);
            if (partner == nobody) {
                continue;
            }
            ASSERT_NE(partner, rank);
            ASSERT_EQ(schedule.partner(round, partner), rank) << round;
            if (rank < partner) {
                EXPECT_TRUE(met.emplace(rank, partner).second) << rank << " and " << partner << " again";
                const std::set<int> both{hosts[static_cast<std::size_t>(rank)],
                                         hosts[static_cast<std::size_t>(partner)]};
                busy.insert(both.begin(), both.end());
            }
        }
        EXPECT_EQ(busy.size(), std::set<int>(busy.begin(), busy.end()).size()) << "a host twice in " << round;
    }
    EXPECT_EQ(met.size(), hosts.size() * (hosts.size() - 1) / 2);
}

TEST(PairSchedule, LetsEveryPairMeetOnceWithItsHostsToItself) {
    expect_one_pair_per_host(on_hosts({1, 1, 1, 1}), 3);
    expect_one_pair_per_host(on_hosts({1, 1, 1, 1, 1}), 5);
    // Of H equal hosts of n ranks: every other host is met for n * n rounds, then there are the own pairs.
    expect_one_pair_per_host(on_hosts({2, 2, 2, 2}), 3 * 4 + 1);
    expect_one_pair_per_host(on_hosts({3, 3}), 9 + 3);
    expect_one_pair_per_host(on_hosts({2, 2, 2}), 3 * 4 + 1);
    expect_one_pair_per_host(on_hosts({6}), 15);
    expect_one_pair_per_host(on_hosts({4, 1, 2}), 4 + 8 + 2 + 6);
    expect_one_pair_per_host(Ranks{0, 1, 0, 1, 2}, 2 * 2 + 2 + 2 + 1);  // dealt out in turn
}

TEST(PairSchedule, OfLargeHostsKeepsThePairsWithinThemInOrder) {
    constexpr int members = 300;
    const PairSchedule schedule(on_hosts({members}), false);
    EXPECT_EQ(schedule.rounds(), members * (members - 1) / 2);
    std::int64_t round = 0;
    for (int high = 1; high < members; ++high) {
        for (int low = 0; low < high; ++low, ++round) {
            ASSERT_EQ(schedule.partner(round, low), high) << round;
            ASSERT_EQ(schedule.partner(round, high), low) << round;
        }
    }
}

TEST(PairSchedule, IsATournamentOfAllRanksIfContended) {
    const auto hosts = on_hosts({2, 2, 1});
    const PairSchedule schedule(hosts, true);
    EXPECT_EQ(schedule.rounds(), tournament_rounds(5));
    for (int round = 0; round < 5; ++round) {
        for (int rank = 0; rank < 5; ++rank) {
            EXPECT_EQ(schedule.partner(round, rank), tournament_partner(5, round, rank));
        }
    }
}

TEST(PairSchedule, OfNobodyHasNobodyToMeet) {
    for (const bool contended : {false, true}) {
        EXPECT_EQ(PairSchedule(Ranks{0}, contended).partner(0, 0), nobody);
        const PairSchedule empty({}, contended);
        EXPECT_EQ(empty.rounds(), 1);
        EXPECT_EQ(empty.partner(0, 0), nobody);
        EXPECT_EQ(PairSchedule(Ranks{0, 0}, contended).partner(0, 7), nobody);
    }
}

}  // namespace
}  // namespace fathom::plan
