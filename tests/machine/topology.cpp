#include "machine/topology.hpp"

#include <gtest/gtest.h>

#include "machine/facts.hpp"

namespace fathom::machine {
namespace {

TEST(HostTopology, HasTheCoresOfTheHost) {
    const auto topology = host_topology();
    EXPECT_GE(topology.cores, usable_cores());
    const auto facts = collect_facts();
    if (facts.contains("cores") && facts.at("cores") != "0") {
        EXPECT_EQ(std::to_string(topology.cores), facts.at("cores"));
    }
}

TEST(HostTopology, HasGroupsOfSeveralCoresThatNestAndTheLargestFirst) {
    const auto topology = host_topology();
    int last_size = topology.cores;
    for (const auto& group : topology.groups) {
        const int size = group.last_core - group.first_core + 1;
        EXPECT_GE(size, 2);
        EXPECT_LE(size, last_size);
        EXPECT_GE(group.first_core, 0);
        EXPECT_LT(group.last_core, topology.cores);
        EXPECT_EQ(group.cache_level > 0, group.what == Sharing::cache);
        last_size = size;
        for (const auto& other : topology.groups) {
            const bool apart = other.last_core < group.first_core || group.last_core < other.first_core;
            const bool within = other.first_core >= group.first_core && other.last_core <= group.last_core;
            const bool around = other.first_core <= group.first_core && other.last_core >= group.last_core;
            EXPECT_TRUE(apart || within || around);
        }
    }
}

}  // namespace
}  // namespace fathom::machine
