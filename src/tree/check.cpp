#include "tree/check.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "tree/contributors.hpp"
#include "tree/walk.hpp"

namespace fathom::tree {
namespace {

using Subject = Fault::Subject;
using Found = std::optional<Fault>;

bool is_letter(char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
}

/// Joins are named, the first is the root, and the others come after their parents.
Found fault_of_joins(const Tree& tree) {
    if (tree.joins.empty()) {
        return Fault{Subject::tree, 0, "the tree has no join; add a root that joins all ranks"};
    }
    std::unordered_set<std::string_view> names;
    for (int i = 0; i < static_cast<int>(tree.joins.size()); ++i) {
        const auto& join = tree.joins[static_cast<std::size_t>(i)];
        const auto node = node_of_join(tree, i);
        const auto name = printable_name(join.name);
        if (!is_join_name(join.name)) {
            return Fault{
                Subject::node, node,
                fmt::format("'{}' is not a name of a join; begin with a letter, and continue with letters, "
                            "digits, _ and -",
                            name)};
        }
        if (!names.insert(join.name).second) {
            return Fault{Subject::node, node, fmt::format("two joins are named '{}'; rename one", name)};
        }
        if (i == 0 ? join.parent != -1 : (join.parent < 0 || join.parent >= i)) {
            return Fault{
                Subject::node, node,
                fmt::format("join '{}' has parent {}; the first join is the root (-1), and every other comes "
                            "after its parent",
                            name, join.parent)};
        }
    }
    return {};
}

/// Leaves are in order, each once, and every join has something to join.
Found fault_of_leaves(const Tree& tree) {
    const auto joins = static_cast<int>(tree.joins.size());
    std::vector<bool> joins_something(tree.joins.size(), false);
    for (int i = 0; i < static_cast<int>(tree.leaves.size()); ++i) {
        const auto& leaf = tree.leaves[static_cast<std::size_t>(i)];
        if (leaf.parent < 0 || leaf.parent >= joins) {
            return Fault{Subject::node, i,
                         fmt::format("{} contributes to no join; add it to one", node_text(tree, i))};
        }
        joins_something[static_cast<std::size_t>(leaf.parent)] = true;
        if (i == 0) {
            continue;
        }
        const auto& before = tree.leaves[static_cast<std::size_t>(i) - 1];
        const Contributor last{.rank = before.rank, .thread = before.thread};
        const Contributor own{.rank = leaf.rank, .thread = leaf.thread};
        if (own == last) {
            return Fault{Subject::node, i,
                         fmt::format("{} contributes twice; remove one of them", node_text(tree, i))};
        }
        if (own < last) {
            return Fault{Subject::node, i,
                         fmt::format("{} comes after {}; leaves are in the order of ranks and threads",
                                     node_text(tree, i), node_text(tree, i - 1))};
        }
    }
    for (const auto& join : tree.joins) {
        if (join.parent >= 0) {
            joins_something[static_cast<std::size_t>(join.parent)] = true;
        }
    }
    for (int i = 0; i < joins; ++i) {
        if (!joins_something[static_cast<std::size_t>(i)]) {
            const auto node = node_of_join(tree, i);
            return Fault{Subject::node, node,
                         fmt::format("{} has no contributions; list ranks or joins in it, or remove it",
                                     node_text(tree, node))};
        }
    }
    return {};
}

/// Ranks and threads are numbered from 0 without gaps, and are those of the job.
Found fault_of_ranks(const Tree& tree, const Job& job) {
    int rank = -1;  // that was seen last, and its thread
    int thread = 0;
    for (int i = 0; i < static_cast<int>(tree.leaves.size()); ++i) {
        const auto& leaf = tree.leaves[static_cast<std::size_t>(i)];
        if (leaf.rank < 0 || leaf.thread < 0) {
            return Fault{Subject::node, i,
                         fmt::format("{} is negative; ranks and threads count from 0", node_text(tree, i))};
        }
        if (job.procs > 0 && leaf.rank >= job.procs) {
            return Fault{
                Subject::node, i,
                fmt::format("{} is out of range: the job has {} ranks, 0 to {}; remove it, or start {} ranks",
                            node_text(tree, i), job.procs, job.procs - 1, rank_count(tree))};
        }
        if (leaf.rank > rank + 1) {
            return Fault{
                Subject::node, i,
                fmt::format("rank {} contributes to no join, although {} does; add it to one: ranks are "
                            "numbered from 0 without gaps",
                            rank + 1, node_text(tree, i))};
        }
        const int expected = leaf.rank == rank ? thread + 1 : 0;
        if (leaf.thread != expected) {
            return Fault{
                Subject::node, i,
                fmt::format("thread {} of rank {} contributes to no join, although {} does; add it to one: "
                            "threads are numbered from 0 without gaps",
                            expected, leaf.rank, node_text(tree, i))};
        }
        rank = leaf.rank;
        thread = leaf.thread;
    }
    if (job.procs > rank + 1) {
        return Fault{
            Subject::node, root_of(tree),
            fmt::format(
                "rank {} contributes to no join: the job has {} ranks, the tree {}; add it to one, or "
                "start {} ranks",
                rank + 1, job.procs, rank + 1, rank + 1)};
    }
    return {};
}

Found fault_of_places(const Tree& tree) {
    const int ranks = rank_count(tree);
    for (int i = 0; i < static_cast<int>(tree.joins.size()); ++i) {
        const int rank = tree.joins[static_cast<std::size_t>(i)].rank;
        if (rank < 0 || rank >= ranks) {
            const auto node = node_of_join(tree, i);
            return Fault{Subject::place, node,
                         fmt::format("{} is on rank {}, which is out of range: ranks are 0 to {}",
                                     node_text(tree, node), rank, ranks - 1)};
        }
    }
    return {};
}

/// The hosts of the tree are those of its ranks, and ranks that share one do so in the job.
Found fault_of_hosts(const Tree& tree, const Job& job) {
    const auto ranks = static_cast<std::size_t>(rank_count(tree));
    if (!tree.hosts.empty() && tree.hosts.size() != ranks) {
        const bool too_few = tree.hosts.size() < ranks;
        const auto rank = std::min(tree.hosts.size(), ranks);
        return Fault{
            too_few ? Subject::tree : Subject::host, static_cast<int>(rank),
            too_few ? fmt::format("rank {} is on no host; add it to one in [hosts]", rank)
                    : fmt::format("rank {} is on host '{}', but contributes to no join; add it to one, or "
                                  "remove it from [hosts]",
                                  rank, printable_name(tree.hosts[rank]))};
    }
    if (job.hosts.empty()) {
        return {};
    }
    if (job.hosts.size() != ranks) {
        return Fault{Subject::tree, 0,
                     fmt::format("the host list does not fit: it places {} ranks, the tree has {}",
                                 job.hosts.size(), ranks)};
    }
    std::unordered_map<std::string_view, std::size_t> first_of;
    for (std::size_t rank = 0; rank < tree.hosts.size(); ++rank) {
        const auto first = first_of.try_emplace(tree.hosts[rank], rank).first->second;
        if (job.hosts[first] != job.hosts[rank]) {
            return Fault{
                Subject::host, static_cast<int>(rank),
                fmt::format(
                    "the host list does not fit: ranks {} and {} share host '{}' in the tree, but are "
                    "on '{}' and '{}'; place ranks as in [hosts], or change [hosts]",
                    first, rank, printable_name(tree.hosts[rank]), printable_name(job.hosts[first]),
                    printable_name(job.hosts[rank]))};
        }
    }
    return {};
}

/// Of the threads of a rank, only the first calls MPI.
Found fault_of_threads(const Tree& tree) {
    for (int i = 0; i < static_cast<int>(tree.leaves.size()); ++i) {
        const auto& leaf = tree.leaves[static_cast<std::size_t>(i)];
        if (leaf.thread > 0 && leaf.edge == EdgeKind::message) {
            return Fault{Subject::edge, i, sentence_of_message_from_thread(tree, i)};
        }
    }
    return {};
}

/// Shared memory needs one host.
Found fault_of_edges(const Tree& tree, const Hosts& hosts) {
    if (hosts.empty()) {
        return {};
    }
    for (Node node = 0; node < node_count(tree); ++node) {
        const auto parent = parent_of(tree, node);
        if (!parent || edge_of(tree, node) == EdgeKind::message) {
            continue;
        }
        const auto& here = hosts[static_cast<std::size_t>(rank_of(tree, node))];
        const auto& there = hosts[static_cast<std::size_t>(rank_of(tree, *parent))];
        if (here != there) {
            return Fault{
                Subject::edge, node,
                fmt::format("a {} edge needs shared memory, but {} is on host '{}' and {} on host '{}'; "
                            "make it a message edge, or place the join on the same host",
                            to_text(edge_of(tree, node)), node_text(tree, node), printable_name(here),
                            node_text(tree, *parent), printable_name(there))};
        }
    }
    return {};
}

}  // namespace

bool is_join_name(std::string_view name) {
    return !name.empty() && name.size() <= longest_name && is_letter(name.front()) &&
           std::all_of(name.begin(), name.end(), [](char letter) {
               return is_letter(letter) || (letter >= '0' && letter <= '9') || letter == '_' || letter == '-';
           });
}

std::string node_text(const Tree& tree, Node node) {
    if (!is_leaf(tree, node)) {
        return fmt::format("join '{}'",
                           printable_name(tree.joins[static_cast<std::size_t>(join_at(tree, node))].name));
    }
    const auto& leaf = tree.leaves[static_cast<std::size_t>(node)];
    return leaf.thread == 0 ? fmt::format("rank {}", leaf.rank)
                            : fmt::format("thread {} of rank {}", leaf.thread, leaf.rank);
}

std::string sentence_of_message_from_thread(const Tree& tree, Node leaf) {
    return fmt::format(
        "{} contributes by message, but only thread 0 of a rank sends messages; make it a flag, futex or "
        "condvar edge",
        node_text(tree, leaf));
}

const Hosts& hosts_of(const Tree& tree, const Job& job) {
    return job.hosts.empty() ? tree.hosts : job.hosts;
}

std::optional<Fault> fault_of(const Tree& tree, const Job& job) {
    if (auto fault = fault_of_joins(tree)) {
        return fault;
    }
    if (auto fault = fault_of_leaves(tree)) {
        return fault;
    }
    if (auto fault = fault_of_ranks(tree, job)) {
        return fault;
    }
    if (auto fault = fault_of_places(tree)) {
        return fault;
    }
    if (tree.segment && tree.segment->count < 1) {
        return Fault{Subject::tree, 0,
                     fmt::format("a segment has {} bytes; give at least 1", tree.segment->count)};
    }
    if (auto fault = fault_of_hosts(tree, job)) {
        return fault;
    }
    if (auto fault = fault_of_threads(tree)) {
        return fault;
    }
    return fault_of_edges(tree, hosts_of(tree, job));
}

void check(const Tree& tree, const Job& job) {
    if (const auto fault = fault_of(tree, job)) {
        throw BadInput(fmt::format("tree '{}': {}.", printable_name(tree.name), fault->sentence));
    }
}

}  // namespace fathom::tree
