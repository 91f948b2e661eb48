#pragma once

#include "tree/make.hpp"
#include "tree/tree.hpp"

/// Trees that several tests use.
namespace fathom::tree {

/// Ranks 0-3 on host a and 4-7 on host b, joined by flags inside and a message between.
inline Tree two_hosts() {
    Tree tree{.name = "two hosts",
              .joins = {{.name = "root", .rank = 0},
                        {.name = "left", .rank = 0, .parent = 0, .edge = EdgeKind::flag},
                        {.name = "right", .rank = 4, .parent = 0, .edge = EdgeKind::message}},
              .leaves = {},
              .segment = std::nullopt};
    for (int rank = 0; rank < 8; ++rank) {
        tree.leaves.push_back({.rank = rank, .parent = rank < 4 ? 1 : 2, .edge = EdgeKind::flag});
        tree.hosts.emplace_back(rank < 4 ? "a" : "b");
    }
    return tree;
}

/// Even ranks in one join, odd ones in another: not in rank order.
inline Tree even_and_odd() {
    return {.name = "even and odd",
            .joins = {{.name = "root", .rank = 1},
                      {.name = "even", .rank = 2, .parent = 0},
                      {.name = "odd", .rank = 1, .parent = 0}},
            .leaves = {{.rank = 0, .parent = 1},
                       {.rank = 1, .parent = 2},
                       {.rank = 2, .parent = 1},
                       {.rank = 3, .parent = 2}},
            .segment = std::nullopt};
}

inline Tree made(Shape shape, int procs, int hosts = 0) {
    return make_tree(
        {.shape = shape,
         .procs = procs,
         .hosts = hosts > 0 ? block_hosts(procs, hosts) : Hosts(),
         .topology = {
             .cores = 4,
             .groups = {
                 {.what = machine::Sharing::cache, .cache_level = 3, .first_core = 0, .last_core = 1},
                 {.what = machine::Sharing::cache, .cache_level = 3, .first_core = 2, .last_core = 3}}}});
}

}  // namespace fathom::tree
