#include "analysis/samples/pair_level.hpp"

namespace fathom::analysis {

PairLevel level_of(const RankPlace& a, const RankPlace& b) {
    if (a.host != b.host) {
        return PairLevel::other_host;
    }
    // Numbers of NUMA nodes are those of the host, so equal ones need no socket.
    if (a.numa_node >= 0 && a.numa_node == b.numa_node) {
        return PairLevel::same_numa_node;
    }
    if (a.socket < 0 || b.socket < 0) {
        return PairLevel::same_host;
    }
    return a.socket == b.socket ? PairLevel::same_socket : PairLevel::other_socket;
}

}  // namespace fathom::analysis
