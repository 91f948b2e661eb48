#include "tree/improve/rank_tree.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "tree/improve/at.hpp"
#include "tree/walk.hpp"

namespace fathom::tree {
namespace {

/// Pieces that large messages are tried in. Smaller ones cost more in overhead than overlap can gain, larger
/// ones leave nothing to overlap.
constexpr std::int64_t smallest_segment = 4096;
constexpr std::int64_t largest_segment = std::int64_t{1} << 20;

/// Ranks of a host in order, by host; a single group if hosts are not known or do not have consecutive ranks.
std::vector<std::vector<int>> groups_of(int procs, const Hosts& hosts) {
    std::vector<std::vector<int>> groups;
    for (const auto& [host, ranks] : ranks_by_host(hosts)) {
        if (ranks.back() - ranks.front() + 1 != static_cast<int>(ranks.size())) {
            groups.clear();
            break;
        }
        groups.push_back(ranks);
    }
    if (groups.empty()) {
        auto& all = groups.emplace_back();
        for (int rank = 0; rank < procs; ++rank) {
            all.push_back(rank);
        }
    }
    return groups;
}

/// Children before parents.
std::vector<int> leaves_first(const std::vector<int>& parents) {
    std::vector<std::vector<int>> children(parents.size());
    std::vector<int> order;
    for (int rank = 0; rank < static_cast<int>(parents.size()); ++rank) {
        if (parents[at(rank)] < 0) {
            order.push_back(rank);
        } else {
            children[at(parents[at(rank)])].push_back(rank);
        }
    }
    for (std::size_t next = 0; next < order.size(); ++next) {
        const auto& below = children[at(order[next])];
        order.insert(order.end(), below.begin(), below.end());
    }
    std::reverse(order.begin(), order.end());
    return order;
}

/// One root, and every rank below it.
bool holds_together(const std::vector<int>& parents) {
    return std::count(parents.begin(), parents.end(), -1) == 1 &&
           leaves_first(parents).size() == parents.size();
}

/// A shape over some ranks: where the subtrees of the first of them begin, by their number.
using Starts = std::function<std::vector<std::size_t>(std::size_t ranks)>;

Starts k_ary(std::size_t arity) {
    return [arity](std::size_t ranks) {
        std::vector<std::size_t> starts;
        const auto others = ranks - 1;
        const auto subtrees = std::min(arity, others);
        std::size_t begin = 1;
        for (std::size_t i = 0; i < subtrees; ++i) {
            starts.push_back(begin);
            begin += others / subtrees + (i < others % subtrees ? 1 : 0);
        }
        return starts;
    };
}

std::vector<std::size_t> binomial(std::size_t ranks) {
    std::vector<std::size_t> starts;
    for (std::size_t begin = 1; begin < ranks; begin *= 2) {
        starts.push_back(begin);
    }
    return starts;
}

void hang(std::vector<int>& parents, std::span<const int> ranks, const Starts& starts_of) {
    if (ranks.size() < 2) {
        return;
    }
    auto starts = starts_of(ranks.size());
    starts.push_back(ranks.size());
    for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
        const auto below = ranks.subspan(starts[i], starts[i + 1] - starts[i]);
        parents[at(below.front())] = ranks.front();
        hang(parents, below, starts_of);
    }
}

/// Every usual shape once: an arity of 1 is a chain, and one as large as the number of ranks a flat tree.
std::vector<Starts> usual_shapes(std::size_t ranks) {
    constexpr std::array<std::size_t, 6> arities{2, 3, 4, 6, 8, 16};
    std::vector<Starts> shapes{k_ary(ranks)};
    if (ranks > 2) {
        shapes.emplace_back(k_ary(1));
        shapes.emplace_back(binomial);
    }
    for (const auto arity : arities) {
        if (arity + 1 < ranks) {
            shapes.emplace_back(k_ary(arity));
        }
    }
    return shapes;
}

/// Collects trees that can be performed, each once, and without the one that they came from.
class TreeSet {
  public:
    explicit TreeSet(const RankTree* except = nullptr) : except_(except) {}

    void add(RankTree candidate) {
        if (except_ != nullptr && candidate == *except_) {
            return;
        }
        if (holds_together(candidate.parents) && keeps_order(candidate) &&
            std::find(trees_.begin(), trees_.end(), candidate) == trees_.end()) {
            trees_.push_back(std::move(candidate));
        }
    }
    [[nodiscard]] std::vector<RankTree> take() { return std::move(trees_); }

  private:
    const RankTree* except_;
    std::vector<RankTree> trees_;
};

void add_moves_of_ranks(const RankTree& from, TreeSet& found) {
    const auto procs = static_cast<int>(from.parents.size());
    for (int rank = 0; rank < procs; ++rank) {
        const int parent = from.parents[at(rank)];
        if (parent < 0) {
            continue;
        }
        if (const int above = from.parents[at(parent)]; above >= 0) {
            auto moved = from;
            moved.parents[at(rank)] = above;
            found.add(std::move(moved));
        }
        for (int beside = 0; beside < procs; ++beside) {
            if (beside != rank && from.parents[at(beside)] == parent) {
                auto moved = from;
                moved.parents[at(rank)] = beside;
                found.add(std::move(moved));
            }
        }
        auto promoted = from;
        for (auto& other : promoted.parents) {
            other = other == parent ? rank : other;
        }
        promoted.parents[at(rank)] = from.parents[at(parent)];
        promoted.parents[at(parent)] = rank;
        found.add(std::move(promoted));
    }
}

/// What one host does, all do: the rank at one place hands its part to that at another.
void add_moves_of_hosts(const RankTree& from, const std::vector<std::vector<int>>& groups, TreeSet& found) {
    std::size_t places = 0;
    for (const auto& group : groups) {
        places = std::max(places, group.size());
    }
    for (std::size_t place = 0; place < places && groups.size() > 1; ++place) {
        for (std::size_t to = 0; to < places; ++to) {
            auto moved = from;
            for (const auto& group : groups) {
                const bool there = std::max(place, to) < group.size() && place != to;
                const auto leaves_host = [&](int rank) {
                    return std::find(group.begin(), group.end(), from.parents[at(rank)]) == group.end();
                };
                if (there && !leaves_host(group[place])) {
                    moved.parents[at(group[place])] = group[to];
                }
            }
            found.add(std::move(moved));
        }
    }
}

void add_segments(const RankTree& from, Bytes size, TreeSet& found) {
    const auto now = from.segment.value_or(usual_segment).count;
    for (const auto next : {now / 2, now * 2}) {
        if (next >= smallest_segment && next <= largest_segment && std::min(now, next) < size.count) {
            auto other = from;
            other.segment = Bytes{next};
            found.add(std::move(other));
        }
    }
}

}  // namespace

RankTree rank_tree_of(const Tree& tree) {
    RankTree ranks{.parents = std::vector<int>(at(rank_count(tree)), -1), .segment = tree.segment};
    for (const auto& leaf : tree.leaves) {
        for (int join = leaf.parent; join >= 0 && ranks.parents[at(leaf.rank)] < 0;
             join = tree.joins[at(join)].parent) {
            const int above = tree.joins[at(join)].rank;
            ranks.parents[at(leaf.rank)] = above == leaf.rank ? -1 : above;
        }
    }
    const auto shared = [](const auto& node) { return node.edge != EdgeKind::message; };
    if (const auto leaf = std::find_if(tree.leaves.begin(), tree.leaves.end(), shared);
        leaf != tree.leaves.end()) {
        ranks.within_hosts = leaf->edge;
    }
    return ranks;
}

Tree tree_of(const RankTree& ranks, const Hosts& hosts, std::string name) {
    const auto procs = static_cast<int>(ranks.parents.size());
    const auto kind_between = [&](int a, int b) {
        return hosts.empty() || hosts[at(a)] == hosts[at(b)] ? ranks.within_hosts : EdgeKind::message;
    };
    Tree tree{.name = std::move(name), .joins = {}, .leaves = {}, .segment = ranks.segment, .hosts = hosts};
    auto order = leaves_first(ranks.parents);
    std::reverse(order.begin(), order.end());
    std::vector<int> join_of(at(procs), -1);
    for (const int rank : order) {
        const bool joins = std::find(ranks.parents.begin(), ranks.parents.end(), rank) != ranks.parents.end();
        const int above = ranks.parents[at(rank)];
        if (joins || above < 0) {
            join_of[at(rank)] = static_cast<int>(tree.joins.size());
            tree.joins.push_back({.name = above < 0 ? "root" : fmt::format("r{}", rank),
                                  .rank = rank,
                                  .parent = above < 0 ? -1 : join_of[at(above)],
                                  .edge = above < 0 ? EdgeKind::message : kind_between(rank, above)});
        }
    }
    for (int rank = 0; rank < procs; ++rank) {
        const int above = join_of[at(rank)] >= 0 ? rank : ranks.parents[at(rank)];
        tree.leaves.push_back(
            {.rank = rank, .parent = join_of[at(above)], .edge = kind_between(rank, above)});
    }
    return tree;
}

bool keeps_order(const RankTree& ranks) {
    struct Below {
        int first;
        int last;
        int count;
    };
    std::vector<Below> below;
    for (int rank = 0; rank < static_cast<int>(ranks.parents.size()); ++rank) {
        below.push_back({.first = rank, .last = rank, .count = 1});
    }
    for (const int rank : leaves_first(ranks.parents)) {
        const auto& own = below[at(rank)];
        if (own.last - own.first + 1 != own.count) {
            return false;
        }
        if (const int parent = ranks.parents[at(rank)]; parent >= 0) {
            auto& above = below[at(parent)];
            above = {.first = std::min(above.first, own.first),
                     .last = std::max(above.last, own.last),
                     .count = above.count + own.count};
        }
    }
    return true;
}

std::vector<RankTree> neighbours_of(const RankTree& ranks, const Hosts& hosts, Bytes size,
                                    const std::vector<EdgeKind>& kinds) {
    TreeSet found(&ranks);
    add_moves_of_ranks(ranks, found);
    add_moves_of_hosts(ranks, groups_of(static_cast<int>(ranks.parents.size()), hosts), found);
    for (const auto kind : kinds) {
        if (kind != ranks.within_hosts) {
            auto other = ranks;
            other.within_hosts = kind;
            found.add(std::move(other));
        }
    }
    add_segments(ranks, size, found);
    return found.take();
}

std::vector<RankTree> combinations_of_shapes(int procs, const Hosts& hosts,
                                             const std::vector<EdgeKind>& kinds) {
    const auto groups = groups_of(procs, hosts);
    std::vector<int> first;
    std::size_t largest = 0;
    for (const auto& group : groups) {
        first.push_back(group.front());
        largest = std::max(largest, group.size());
    }
    std::vector<int> all(at(procs));
    std::iota(all.begin(), all.end(), 0);
    TreeSet found;
    const auto add = [&](const std::vector<int>& parents) {
        for (const auto kind : kinds) {
            found.add({.parents = parents, .within_hosts = kind});
        }
    };
    const std::vector<int> none(at(procs), -1);
    for (const auto& over_all : usual_shapes(all.size())) {
        auto parents = none;
        hang(parents, all, over_all);
        add(parents);
    }
    for (const auto& between : usual_shapes(first.size())) {
        for (const auto& within : usual_shapes(largest)) {
            auto parents = none;
            for (const auto& group : groups) {
                hang(parents, group, within);
            }
            hang(parents, first, between);
            add(parents);
        }
    }
    return found.take();
}

}  // namespace fathom::tree
