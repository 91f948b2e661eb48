#pragma once

#include <array>
#include <memory>

#include <hwloc.h>

/// What this room shares of hwloc.
namespace fathom::machine {

using HwlocTopology = std::unique_ptr<hwloc_topology, decltype(&hwloc_topology_destroy)>;

/// The topology of this host; null if it cannot be read.
inline HwlocTopology load_topology() {
    hwloc_topology_t raw = nullptr;
    if (hwloc_topology_init(&raw) != 0) {
        return {nullptr, hwloc_topology_destroy};
    }
    HwlocTopology topology(raw, hwloc_topology_destroy);
    if (hwloc_topology_load(raw) != 0) {
        topology.reset();
    }
    return topology;
}

inline constexpr std::array<hwloc_obj_type_t, 5> cache_levels{
    HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L5CACHE};

}  // namespace fathom::machine
