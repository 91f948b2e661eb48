#include "tree/figures.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/printable.hpp"
#include "base/text.hpp"
#include "tree/walk.hpp"

namespace fathom::tree {
namespace {

std::string counted(int count, std::string_view one) {
    return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

}  // namespace

Figures figures_of(const Tree& tree, const Hosts& hosts) {
    Figures figures{.ranks = rank_count(tree),
                    .leaves = static_cast<int>(tree.leaves.size()),
                    .joins = static_cast<int>(tree.joins.size()),
                    .hosts = static_cast<int>(ranks_by_host(hosts).size()),
                    .height = height_of(tree),
                    .in_rank_order = in_rank_order(tree)};
    for (const auto& list : children_of(tree)) {
        figures.largest_join = std::max(figures.largest_join, static_cast<int>(list.size()));
    }
    for (Node node = 0; node < node_count(tree); ++node) {
        if (parent_of(tree, node)) {
            ++figures.edges[static_cast<std::size_t>(edge_of(tree, node))];
        }
    }
    return figures;
}

std::string figures_text(const Tree& tree, const Hosts& hosts) {
    const auto figures = figures_of(tree, hosts);
    auto text = counted(figures.ranks, "rank");
    if (figures.leaves > figures.ranks) {
        text += " with " + counted(figures.leaves, "thread");
    }
    if (figures.hosts > 0) {
        text += " on " + counted(figures.hosts, "host");
    }
    text += fmt::format(", {} of up to {}, height {}", counted(figures.joins, "join"),
                        counted(figures.largest_join, "contribution"), figures.height);
    if (!tree.name.empty()) {
        text = printable_name(tree.name) + ": " + text;
    }
    std::vector<std::string> kinds;
    for (const auto kind : values_of<EdgeKind>) {
        if (const int count = figures.edges[static_cast<std::size_t>(kind)]; count > 0) {
            kinds.push_back(fmt::format("{} {}", count, to_text(kind)));
        }
    }
    const auto disorder = join_out_of_order(tree);
    return fmt::format("{}\nedges: {}; {}{}\n", text, and_list(kinds),
                       tree.segment ? fmt::format("segments of {}; ", exact_text(*tree.segment)) : "",
                       disorder
                           ? fmt::format("ranks interleave at join '{}'",
                                         printable_name(tree.joins[static_cast<std::size_t>(*disorder)].name))
                           : "ranks in order");
}

}  // namespace fathom::tree
