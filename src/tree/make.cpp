#include "tree/make.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error.hpp"
#include "tree/contributors.hpp"

namespace fathom::tree {
namespace {

/// Consecutive ranks that belong together, and the groups within.
struct Group {
    std::string name;  ///< of its join
    int first = 0;
    int last = 0;
    std::vector<Group> parts =
        {};  ///< one after the other, all ranks in one of them; none: its ranks are leaves
};

/// How a join divides what it joins, of which the first is its own: positions where its subtrees begin, from
/// 1 on.
std::vector<int> k_ary_starts(int items, int arity) {
    std::vector<int> starts;
    const int others = items - 1;
    const int subtrees = std::min(arity, others);
    int begin = 1;
    for (int i = 0; i < subtrees; ++i) {
        starts.push_back(begin);
        begin += others / subtrees + (i < others % subtrees ? 1 : 0);
    }
    return starts;
}

std::vector<int> binomial_starts(int items) {
    std::vector<int> starts;
    for (int begin = 1; begin < items; begin *= 2) {
        starts.push_back(begin);
    }
    return starts;
}

/// Builds a tree from its root on, so that joins come after their parents. What is still to be built is kept
/// in a list, not on the stack of calls: a chain is as deep as it has ranks.
class Builder {
  public:
    explicit Builder(const Recipe& recipe) : recipe_(&recipe) {
        tree_.name = std::string(to_text(recipe.shape));
        tree_.segment = recipe.segment;
        tree_.hosts = recipe.hosts;
        for (int rank = 0; rank < recipe.procs; ++rank) {
            tree_.leaves.push_back({.rank = rank});
        }
    }

    Tree build(const Group& all) {
        begin_group(all, -1);
        while (!work_.empty()) {
            const auto next = work_.back();
            work_.pop_back();
            add_join(next);
        }
        return std::move(tree_);
    }

  private:
    /// A join to be made of some of a group's parts.
    struct Work {
        const Group* group;
        int begin;  ///< among the parts
        int end;
        int parent;  ///< the join above
    };

    static int part_count(const Group& group) {
        return group.parts.empty() ? group.last - group.first + 1 : static_cast<int>(group.parts.size());
    }

    static int first_rank(const Group& group, int part) {
        return group.parts.empty() ? group.first + part : group.parts[static_cast<std::size_t>(part)].first;
    }

    void begin_group(const Group& group, int parent) {
        work_.push_back({.group = &group, .begin = 0, .end = part_count(group), .parent = parent});
    }

    /// Where the subtrees of a join over this many parts begin. Without a limit, every part is one.
    [[nodiscard]] std::vector<int> starts(int parts) const {
        switch (recipe_->shape) {
            case Shape::binomial:
                return binomial_starts(parts);
            case Shape::chain:
                return k_ary_starts(parts, 1);
            case Shape::binary:
                return k_ary_starts(parts, 2);
            case Shape::k_ary:
                return k_ary_starts(parts, recipe_->arity.value_or(usual_arity));
            case Shape::flat:
            case Shape::two_level:
            case Shape::three_level:
            case Shape::topology:
                break;
        }
        return k_ary_starts(parts, recipe_->arity.value_or(parts));
    }

    void add_join(const Work& work) {
        const auto& group = *work.group;
        const int rank = first_rank(group, work.begin);
        const auto join = static_cast<int>(tree_.joins.size());
        tree_.joins.push_back(
            {.name = work.begin == 0 ? group.name : fmt::format("{}r{}", prefix_of(group), rank),
             .rank = rank,
             .parent = work.parent,
             .edge = work.parent < 0
                         ? EdgeKind::message
                         : edge_between(rank, tree_.joins[static_cast<std::size_t>(work.parent)].rank)});
        auto begins = starts(work.end - work.begin);
        begins.insert(begins.begin(), 0);
        // The last comes first from the end of the list: joins are made in rank order.
        for (auto i = std::ssize(begins) - 1; i >= 0; --i) {
            const int begin = work.begin + begins[static_cast<std::size_t>(i)];
            const int end =
                i + 1 < std::ssize(begins) ? work.begin + begins[static_cast<std::size_t>(i) + 1] : work.end;
            if (end - begin > 1) {
                work_.push_back({.group = &group, .begin = begin, .end = end, .parent = join});
            } else {
                add_part(group, begin, join);
            }
        }
    }

    void add_part(const Group& group, int part, int join) {
        if (!group.parts.empty() && part_count(group.parts[static_cast<std::size_t>(part)]) > 1) {
            begin_group(group.parts[static_cast<std::size_t>(part)], join);
            return;
        }
        auto& leaf = tree_.leaves[static_cast<std::size_t>(first_rank(group, part))];
        leaf.parent = join;
        leaf.edge = edge_between(leaf.rank, tree_.joins[static_cast<std::size_t>(join)].rank);
    }

    static std::string prefix_of(const Group& group) { return group.name == "root" ? "" : group.name + "-"; }

    [[nodiscard]] EdgeKind edge_between(int a, int b) const {
        const auto& hosts = recipe_->hosts;
        const bool together =
            hosts.empty() || hosts[static_cast<std::size_t>(a)] == hosts[static_cast<std::size_t>(b)];
        return together ? recipe_->edge : EdgeKind::message;
    }

    const Recipe* recipe_;
    Tree tree_;
    std::vector<Work> work_;
};

/// The hosts, each with its ranks, which must be consecutive.
std::vector<Group> host_groups(const Recipe& recipe) {
    std::vector<Group> groups;
    for (const auto& [host, ranks] : ranks_by_host(recipe.hosts)) {
        if (ranks.back() - ranks.front() + 1 != static_cast<int>(ranks.size())) {
            throw BadInput(
                fmt::format("the ranks of host '{}' are {}, but the standard shapes take consecutive ranks; "
                            "place ranks by block, or write the tree by hand.",
                            host, ranks_text(ranks)));
        }
        groups.push_back(
            {.name = fmt::format("host{}", groups.size()), .first = ranks.front(), .last = ranks.back()});
    }
    return groups;
}

std::vector<Group> site_groups(std::vector<Group> hosts, int sites) {
    const auto all = static_cast<int>(hosts.size());
    if (sites > all) {
        throw BadInput(fmt::format("{} sites for {} hosts: every site needs a host; give 1 to {} sites.",
                                   sites, all, all));
    }
    std::vector<Group> groups;
    auto next = hosts.begin();
    for (int site = 0; site < sites; ++site) {
        const int here = all / sites + (site < all % sites ? 1 : 0);
        Group group{
            .name = fmt::format("site{}", site), .first = next->first, .last = (next + here - 1)->last};
        std::move(next, next + here, std::back_inserter(group.parts));
        next += here;
        groups.push_back(std::move(group));
    }
    return groups;
}

std::string name_of(const machine::CoreGroup& group) {
    return group.what == machine::Sharing::cache ? fmt::format("l{}", group.cache_level)
                                                 : std::string(to_text(group.what));
}

/// Divides the ranks of a host by what their cores share.
class ByTopology {
  public:
    ByTopology(const machine::Topology& topology, const Group& host)
        : topology_(&topology), host_(&host), ranks_(host.last - host.first + 1) {}

    [[nodiscard]] Group divided() const {
        Group host = *host_;
        divide(host, 0);
        return host;
    }

  private:
    /// Ranks are bound to cores in order; where there are more ranks than cores, neighbours share one.
    [[nodiscard]] int core_of(int rank) const {
        const int place = rank - host_->first;
        return ranks_ <= topology_->cores ? place
                                          : static_cast<int>(std::int64_t{place} * topology_->cores / ranks_);
    }

    /// Finds the parts of a group among those of the topology from `from` on.
    void divide(Group& group, std::size_t from) const {
        std::vector<std::pair<Group, std::size_t>> found;
        int next = group.first;  // the first rank that is in no part yet
        while (next <= group.last) {
            auto [part, rest] = largest_part(group, next, from);
            next = part.last + 1;
            found.emplace_back(std::move(part), rest);
        }
        if (static_cast<int>(found.size()) == group.last - group.first + 1) {
            return;  // every rank for itself: leaves
        }
        for (auto& [part, rest] : found) {
            if (part.last > part.first) {
                divide(part, rest);
            }
            group.parts.push_back(std::move(part));
        }
    }

    /// The largest part that begins with a rank and is smaller than the group; a single rank if there is
    /// none. With it, where to look for its own parts.
    [[nodiscard]] std::pair<Group, std::size_t> largest_part(const Group& group, int rank,
                                                             std::size_t from) const {
        const int core = core_of(rank);
        for (std::size_t i = from; i < topology_->groups.size(); ++i) {
            const auto& shared = topology_->groups[i];
            if (core < shared.first_core || core > shared.last_core) {
                continue;
            }
            int last = rank;
            while (last < group.last && core_of(last + 1) <= shared.last_core) {
                ++last;
            }
            // What all ranks of the group share divides nothing, also where it is looked at from a later one.
            const bool whole = last == group.last && core_of(group.first) >= shared.first_core;
            if (last > rank && !whole) {
                Group part{.name = fmt::format("{}-{}-r{}", host_->name, name_of(shared), rank),
                           .first = rank,
                           .last = last};
                return {std::move(part), i + 1};
            }
        }
        int last = rank;  // ranks that share a core
        while (last < group.last && core_of(last + 1) == core) {
            ++last;
        }
        const bool all_on_core = core_of(group.first) == core_of(group.last);
        if (last > rank && !all_on_core) {
            Group part{.name = fmt::format("{}-core{}", host_->name, core), .first = rank, .last = last};
            return {std::move(part), topology_->groups.size()};
        }
        return {Group{.name = {}, .first = rank, .last = rank}, topology_->groups.size()};
    }

    const machine::Topology* topology_;
    const Group* host_;
    int ranks_;
};

/// A group of groups; where there is only one, that one.
Group root_over(std::vector<Group> parts) {
    if (parts.size() == 1) {
        parts.front().name = "root";
        return std::move(parts.front());
    }
    Group root{.name = "root", .first = parts.front().first, .last = parts.back().last};
    root.parts = std::move(parts);
    return root;
}

Group groups_of(const Recipe& recipe) {
    const Group all{.name = "root", .first = 0, .last = recipe.procs - 1};
    switch (recipe.shape) {
        case Shape::two_level:
            return root_over(host_groups(recipe));
        case Shape::three_level: {
            auto hosts = host_groups(recipe);
            const int usual = std::min(usual_sites, static_cast<int>(hosts.size()));
            auto sites = site_groups(std::move(hosts), recipe.sites.value_or(usual));
            for (auto& site : sites) {
                if (site.parts.size() == 1) {  // its host is all of it
                    auto parts = std::move(site.parts.front().parts);
                    site.parts = std::move(parts);
                }
            }
            return root_over(std::move(sites));
        }
        case Shape::topology: {
            auto hosts = recipe.hosts.empty()
                             ? std::vector<Group>{{.name = "host0", .first = 0, .last = all.last}}
                             : host_groups(recipe);
            for (auto& host : hosts) {
                host = ByTopology(recipe.topology, host).divided();
            }
            return root_over(std::move(hosts));
        }
        case Shape::flat:
        case Shape::binary:
        case Shape::k_ary:
        case Shape::binomial:
        case Shape::chain:
            break;
    }
    return all;
}

bool uses_arity(Shape shape) {
    return shape == Shape::k_ary || shape == Shape::two_level || shape == Shape::three_level ||
           shape == Shape::topology;
}

void refuse_what_does_not_fit(const Recipe& recipe) {
    const auto shape = to_text(recipe.shape);
    if (recipe.procs < 1 || recipe.procs > most_leaves) {
        throw BadInput(fmt::format("a tree has 1 to {} ranks, not {}.", most_leaves, recipe.procs));
    }
    if (!recipe.hosts.empty() && recipe.hosts.size() != static_cast<std::size_t>(recipe.procs)) {
        throw BadInput(fmt::format("hosts are given for {} of {} ranks; give one for each.",
                                   recipe.hosts.size(), recipe.procs));
    }
    if (recipe.hosts.empty() && (recipe.shape == Shape::two_level || recipe.shape == Shape::three_level)) {
        throw BadInput(
            fmt::format("a {} tree needs to know the hosts; give their number (--hosts 2) or their ranks "
                        "(--hosts a:4,b:4).",
                        shape));
    }
    if (recipe.arity && !uses_arity(recipe.shape)) {
        throw BadInput(
            fmt::format("a {} tree has no arity to choose; omit --arity, or make a k-ary tree.", shape));
    }
    if (recipe.arity && *recipe.arity < 1) {
        throw BadInput(fmt::format("an arity of {} joins nothing; give at least 1.", *recipe.arity));
    }
    if (recipe.sites && recipe.shape != Shape::three_level) {
        throw BadInput(
            fmt::format("a {} tree has no sites; omit --sites, or make a three-level tree.", shape));
    }
    if (recipe.sites && *recipe.sites < 1) {
        throw BadInput(fmt::format("there cannot be {} sites; give at least 1.", *recipe.sites));
    }
    if (recipe.segment && recipe.segment->count < 1) {
        throw BadInput("a segment has at least 1 byte; without --segment, messages are not divided.");
    }
}

}  // namespace

std::string_view summary_of(Shape shape) {
    switch (shape) {
        case Shape::flat:
            return "one join for all ranks";
        case Shape::binary:
            return "every rank joins its own contribution with two subtrees";
        case Shape::k_ary:
            return "the same with --arity subtrees";
        case Shape::binomial:
            return "subtrees of 1, 2, 4, 8 ... ranks";
        case Shape::chain:
            return "every rank joins its own contribution with that of the ranks behind it";
        case Shape::two_level:
            return "inside hosts, then between them; needs --hosts";
        case Shape::three_level:
            return "inside hosts, then inside sites (--sites), then between them; needs --hosts";
        case Shape::topology:
            return "by what the cores of this host share (caches, NUMA nodes, sockets), then between hosts";
    }
    return {};
}

Tree make_tree(const Recipe& recipe) {
    refuse_what_does_not_fit(recipe);
    const auto all = groups_of(recipe);
    return Builder(recipe).build(all);
}

}  // namespace fathom::tree
