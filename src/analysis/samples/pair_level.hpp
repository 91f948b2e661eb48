#pragma once

#include <array>
#include <string_view>

namespace fathom::analysis {

/// What lies between two ranks, the nearest first.
enum class PairLevel {
    same_numa_node,
    same_socket,
    other_socket,
    same_host,  ///< where on it is not known
    other_host,
};
constexpr std::array<std::string_view, 5> enum_names(PairLevel /*unused*/) {
    return {"same-numa-node", "same-socket", "other-socket", "same-host", "other-host"};
}

/// Where a rank is; -1: not known, or in several.
struct RankPlace {
    std::string_view host;
    int socket = -1;
    int numa_node = -1;
};

PairLevel level_of(const RankPlace& a, const RankPlace& b);

}  // namespace fathom::analysis
