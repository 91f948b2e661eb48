#pragma once

#include <array>
#include <string>

#include "tree/hosts.hpp"
#include "tree/tree.hpp"

namespace fathom::tree {

/// What a tree is, in figures.
struct Figures {
    int ranks = 0;
    int leaves = 0;  ///< more than ranks where threads contribute
    int joins = 0;
    int hosts = 0;  ///< 0: not known
    int height = 0;
    int largest_join = 0;                                   ///< contributions to the join that has the most
    std::array<int, names_of<EdgeKind>.size()> edges = {};  ///< of each kind
    bool in_rank_order = true;
};

Figures figures_of(const Tree& tree, const Hosts& hosts);

/// Two lines: `8 ranks on 2 hosts, 3 joins of up to 4, height 2`, and what its edges are.
std::string figures_text(const Tree& tree, const Hosts& hosts);

}  // namespace fathom::tree
