#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "base/named_enum.hpp"

namespace fathom::machine {

/// What cores share.
enum class Sharing { socket, numa_node, cache };
constexpr std::array<std::string_view, 3> enum_names(Sharing /*unused*/) {
    return {"socket", "numa", "cache"};
}

/// Consecutive cores that share something, by their logical numbers: neighbours in the topology are
/// neighbours in number.
struct CoreGroup {
    Sharing what = Sharing::socket;
    int cache_level = 0;  ///< of a cache: 2, 3; else 0
    int first_core = 0;
    int last_core = 0;

    friend bool operator==(const CoreGroup&, const CoreGroup&) = default;
};

/// The cores of a host and what they share, the largest groups first. Groups of one core are left out: no two
/// ranks that are bound to cores would share them.
struct Topology {
    int cores = 1;
    std::vector<CoreGroup> groups = {};

    friend bool operator==(const Topology&, const Topology&) = default;
};

/// That of this host, as far as this process may use it. Without groups if nothing is known.
Topology host_topology();

}  // namespace fathom::machine
