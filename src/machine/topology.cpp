#include "machine/topology.hpp"

#include <algorithm>
#include <tuple>

#include "machine/facts.hpp"
#include "machine/hwloc.hpp"

namespace fathom::machine {
namespace {

/// The first and last core of each object of a type that has several.
void add_groups(Topology& found, hwloc_topology_t topology, hwloc_obj_type_t type, Sharing what,
                int cache_level) {
    for (hwloc_obj_t object = nullptr;
         (object = hwloc_get_next_obj_by_type(topology, type, object)) != nullptr;) {
        int first = -1;
        int last = -1;
        for (int core = 0; core < found.cores; ++core) {
            const auto* one = hwloc_get_obj_by_type(topology, HWLOC_OBJ_CORE, static_cast<unsigned>(core));
            if (one != nullptr && hwloc_bitmap_isincluded(one->cpuset, object->cpuset) != 0) {
                first = first < 0 ? core : first;
                last = core;
            }
        }
        if (last > first) {
            found.groups.push_back(
                {.what = what, .cache_level = cache_level, .first_core = first, .last_core = last});
        }
    }
}

}  // namespace

Topology host_topology() {
    const auto topology = load_topology();
    const int cores = topology ? hwloc_get_nbobjs_by_type(topology.get(), HWLOC_OBJ_CORE) : 0;
    if (cores < 1) {
        return {.cores = usable_cores()};
    }
    Topology found{.cores = cores};
    add_groups(found, topology.get(), HWLOC_OBJ_PACKAGE, Sharing::socket, 0);
    add_groups(found, topology.get(), HWLOC_OBJ_NUMANODE, Sharing::numa_node, 0);
    for (std::size_t level = 0; level < cache_levels.size(); ++level) {
        add_groups(found, topology.get(), cache_levels[level], Sharing::cache, static_cast<int>(level) + 1);
    }
    std::stable_sort(found.groups.begin(), found.groups.end(), [](const CoreGroup& a, const CoreGroup& b) {
        return std::tuple(a.first_core - a.last_core, a.first_core) <
               std::tuple(b.first_core - b.last_core, b.first_core);
    });
    return found;
}

}  // namespace fathom::machine
