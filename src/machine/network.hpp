#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "machine/facts.hpp"

/// How this host is connected.
namespace fathom::machine {

/// A network interface that is up. What its driver does not say is empty.
struct NetworkInterface {
    std::string name;
    std::string driver;
    std::optional<std::int64_t> speed_mbit_per_s;
    std::int64_t mtu_bytes = 0;
};

/// Those of this process's network namespace (which /sys/class/net need not show), without loopback.
std::vector<NetworkInterface> network_interfaces();

/// As facts: network.eth0.driver, network.eth0.mtu_bytes, network.eth0.speed_mbit_per_s.
Facts network_facts(const std::vector<NetworkInterface>& interfaces);

}  // namespace fathom::machine
