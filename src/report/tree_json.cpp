#include "report/tree_json.hpp"

#include <string>
#include <utility>

#include "tree/figures.hpp"
#include "tree/file.hpp"
#include "tree/walk.hpp"

namespace fathom::report {
namespace {

using nlohmann::ordered_json;

ordered_json host_json(const tree::Hosts& hosts, int rank) {
    const auto at = static_cast<std::size_t>(rank);
    return at < hosts.size() ? ordered_json(hosts[at]) : ordered_json(nullptr);
}

}  // namespace

ordered_json tree_json(const tree::Tree& tree, const tree::Hosts& hosts) {
    const auto figures = tree::figures_of(tree, hosts);
    auto edges = ordered_json::object();
    for (const auto kind : values_of<tree::EdgeKind>) {
        edges[std::string(to_text(kind))] = figures.edges[static_cast<std::size_t>(kind)];
    }
    auto places = ordered_json::array();
    for (const auto& [host, ranks] : tree::ranks_by_host(hosts)) {
        places.push_back({{"host", host}, {"ranks", ranks}});
    }
    auto joins = ordered_json::array();
    for (const auto& join : tree.joins) {
        const bool root = join.parent < 0;
        joins.push_back(
            {{"join", join.name},
             {"rank", join.rank},
             {"host", host_json(hosts, join.rank)},
             {"parent", root ? ordered_json(nullptr)
                             : ordered_json(tree.joins[static_cast<std::size_t>(join.parent)].name)},
             {"edge", root ? ordered_json(nullptr) : ordered_json(join.edge)}});
    }
    auto leaves = ordered_json::array();
    for (const auto& leaf : tree.leaves) {
        leaves.push_back({{"rank", leaf.rank},
                          {"thread", leaf.thread},
                          {"host", host_json(hosts, leaf.rank)},
                          {"parent", tree.joins[static_cast<std::size_t>(leaf.parent)].name},
                          {"edge", leaf.edge}});
    }
    return {{"schema", tree::tree_file_schema},
            {"name", tree.name},
            {"procs", figures.ranks},
            {"segment_bytes", tree.segment ? ordered_json(tree.segment->count) : ordered_json(nullptr)},
            {"height", figures.height},
            {"largest_join", figures.largest_join},
            {"in_rank_order", figures.in_rank_order},
            {"edges", std::move(edges)},
            {"hosts", std::move(places)},
            {"joins", std::move(joins)},
            {"leaves", std::move(leaves)}};
}

}  // namespace fathom::report
