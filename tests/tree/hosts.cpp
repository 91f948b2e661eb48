#include "tree/hosts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_support.hpp"

namespace fathom::tree {
namespace {

using fathom::testing::refusal_of;
using ::testing::ElementsAre;

TEST(BlockHosts, HaveConsecutiveRanksAndTheFirstOnesOneMore) {
    EXPECT_THAT(block_hosts(4, 2), ElementsAre("host0", "host0", "host1", "host1"));
    EXPECT_THAT(block_hosts(5, 3), ElementsAre("host0", "host0", "host1", "host1", "host2"));
    EXPECT_THAT(block_hosts(2, 2), ElementsAre("host0", "host1"));
    EXPECT_EQ(refusal_of([] { block_hosts(2, 3); }),
              "3 hosts for 2 ranks: every host needs a rank; give 1 to 2 hosts");
}

TEST(HostsFrom, TakesANumberNamesAndNamesWithTheirRanks) {
    EXPECT_THAT(hosts_from("2", 3), ElementsAre("host0", "host0", "host1"));
    EXPECT_THAT(hosts_from("a:2,b:1", 3), ElementsAre("a", "a", "b"));
    EXPECT_THAT(hosts_from("a, b ,a", 3), ElementsAre("a", "b", "a"));
    EXPECT_THAT(hosts_from("node-1.lab:2", 2), ElementsAre("node-1.lab", "node-1.lab"));
}

TEST(HostsFrom, LeavesPlacesEmptyThatAreNotNeeded) {
    EXPECT_THAT(hosts_from("a:4,b:4", 5), ElementsAre("a", "a", "a", "a", "b"));
    EXPECT_THAT(hosts_from("a:2,b:1", 0), ElementsAre("a", "a", "b"));
}

TEST(HostsFrom, RefusesWhatIsNotAHostList) {
    EXPECT_EQ(refusal_of([] { hosts_from("a:2,b:1", 4); }),
              "the host list has places for 3 of 4 ranks; add hosts, or give more ranks to one");
    EXPECT_EQ(refusal_of([] { hosts_from("2", 0); }),
              "'2' does not say where ranks are; give hosts with their ranks, such as a:4,b:4");
    for (const char* text : {"0", "99999999999"}) {
        EXPECT_EQ(refusal_of([&] { hosts_from(text, 4); }),
                  "'" + std::string(text) + "' is not a number of hosts; give 1 to 4");
    }
    for (const char* text : {"a:x", "a:0", "a:-1", ":4", "a,,b", "a:9999999", ","}) {
        EXPECT_EQ(
            refusal_of([&] { hosts_from(text, 4); }),
            "'" + std::string(text) +
                "' is not a host list; give a number of hosts, or hosts with their ranks, such as a:4,b:4");
    }
    EXPECT_EQ(refusal_of([] { hosts_from("", 4); }),
              "the host list is empty; give a number of hosts, or hosts with their ranks, such as a:4,b:4");
}

TEST(RanksByHost, AreInTheOrderOfFirstRanks) {
    EXPECT_THAT(ranks_by_host({"b", "a", "b"}), ElementsAre(HostRanks{"b", {0, 2}}, HostRanks{"a", {1}}));
    EXPECT_THAT(ranks_by_host({}), ElementsAre());
}

}  // namespace
}  // namespace fathom::tree
