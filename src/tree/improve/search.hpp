#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "tree/improve/cost_model.hpp"
#include "tree/improve/rank_tree.hpp"

namespace fathom::tree {

/// A tree that is worth measuring.
struct Candidate {
    RankTree ranks;
    double predicted_ns = 0;
};

/// What candidates are looked for with.
struct SearchSpace {
    Hosts hosts;  ///< of each rank; empty: one host
    Places places;
    std::vector<EdgeKind> kinds;  ///< that edges within a host may have
    Ways ways;
    Bytes size;
    Costs costs;
};

/// Descends from each start, and from others that are drawn by the seed, to where no neighbour is predicted
/// to be faster. What is found on all ways, the fastest first: at most `most`, all different, none of which
/// `known` says that it was measured.
std::vector<Candidate> candidates(const SearchSpace& space, const std::vector<RankTree>& starts,
                                  std::uint64_t seed, std::size_t most,
                                  const std::function<bool(const RankTree&)>& known);

}  // namespace fathom::tree
