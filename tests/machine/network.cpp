#include "machine/network.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fathom::machine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(NetworkFacts, HaveOneKeyForEachThingKnownOfAnInterface) {
    EXPECT_THAT(network_facts(
                    {{.name = "ib0", .driver = "mlx5_core", .speed_mbit_per_s = 200'000, .mtu_bytes = 4092}}),
                ElementsAre(Pair("network.ib0.driver", "mlx5_core"), Pair("network.ib0.mtu_bytes", "4092"),
                            Pair("network.ib0.speed_mbit_per_s", "200000")));
}

TEST(NetworkFacts, LeaveOutWhatADriverDoesNotSay) {
    EXPECT_THAT(network_facts({{.name = "eth0", .driver = "", .speed_mbit_per_s = {}, .mtu_bytes = 1500}}),
                ElementsAre(Pair("network.eth0.mtu_bytes", "1500")));
    EXPECT_THAT(network_facts({}), IsEmpty());
}

TEST(NetworkInterfaces, OfThisHostAreUpAndNotLoopback) {
    for (const auto& one : network_interfaces()) {
        EXPECT_FALSE(one.name.empty());
        EXPECT_NE(one.name, "lo");
        EXPECT_GT(one.mtu_bytes, 0) << one.name;
        EXPECT_GT(one.speed_mbit_per_s.value_or(1), 0) << one.name;
    }
    const auto facts = collect_facts();
    for (const auto& [key, value] : network_facts(network_interfaces())) {
        EXPECT_TRUE(facts.contains(key)) << key;
    }
}

}  // namespace
}  // namespace fathom::machine
