#include <algorithm>

#include "collectives/reference/algorithms.hpp"

namespace fathom::collectives::reference {
namespace {

/// Blocks of ranks around the root that follow each other lie in memory so too, but for those of the highest
/// ranks and of rank 0.
struct Pieces {
    int first = 0;   ///< rank
    int before = 0;  ///< blocks up to the end of memory
    int after = 0;   ///< from its beginning on
};

Pieces pieces_of(const Task& task, int first, int blocks) {
    const int before = std::min(blocks, task.size() - first);
    return {.first = first, .before = before, .after = blocks - before};
}

void receive_at_root(const Task& task, int child, int blocks) {
    const auto pieces = pieces_of(task, child, blocks);
    const auto elements = index_of(blocks) * task.count;
    if (pieces.after == 0) {
        task.net.receive(task.block(task.out, child), elements, child);
        return;
    }
    auto* const all = task.room(Slot::first, elements);
    task.net.receive(all, elements, child);
    task.copy(all, task.block(task.out, child), index_of(pieces.before) * task.count);
    task.copy(task.block(all, pieces.before), task.out, index_of(pieces.after) * task.count);
}

void send_from_root(const Task& task, int child, int blocks) {
    const auto pieces = pieces_of(task, child, blocks);
    const auto elements = index_of(blocks) * task.count;
    if (pieces.after == 0) {
        task.net.send(task.block(task.in, child), elements, child);
        return;
    }
    auto* const all = task.room(Slot::first, elements);
    task.copy(task.block(task.in, child), all, index_of(pieces.before) * task.count);
    task.copy(task.in, task.block(all, pieces.before), index_of(pieces.after) * task.count);
    task.net.send(all, elements, child);
}

}  // namespace

void gather_binomial(const Task& task) {
    const Binomial tree(task.rank(), task.size(), task.root);
    const int reach = tree.reach(task.size());
    const bool leaf = reach == 1 && !tree.is_root();
    auto* const subtree =
        leaf || tree.is_root() ? nullptr : task.room(Slot::first, index_of(reach) * task.count);
    if (subtree != nullptr) {
        task.copy(task.in, subtree, task.count);
    }
    for (int distance = 1; distance < reach; distance *= 2) {
        const int child = tree.rank_of(tree.node() + distance);
        const int blocks = std::min(distance, reach - distance);
        if (tree.is_root()) {
            receive_at_root(task, child, blocks);
        } else {
            task.net.receive(task.block(subtree, distance), index_of(blocks) * task.count, child);
        }
    }
    if (!tree.is_root()) {
        task.net.send(leaf ? task.in : subtree, index_of(reach) * task.count, tree.parent());
    }
}

void gather_linear(const Task& task) {
    if (task.rank() != task.root) {
        task.net.send(task.in, task.count, task.root);
        return;
    }
    for (int distance = 1; distance < task.size(); ++distance) {
        task.net.start_receive(task.block(task.out, task.ahead(distance)), task.count, task.ahead(distance));
    }
    task.net.finish_receives();
}

void scatter_binomial(const Task& task) {
    const Binomial tree(task.rank(), task.size(), task.root);
    const int reach = tree.reach(task.size());
    const bool leaf = reach == 1 && !tree.is_root();
    std::byte* subtree = nullptr;
    if (!tree.is_root()) {
        subtree = leaf ? task.out : task.room(Slot::first, index_of(reach) * task.count);
        task.net.receive(subtree, index_of(reach) * task.count, tree.parent());
    }
    for (int distance = tree.beyond_children(task.size()) / 2; distance > 0; distance /= 2) {
        if (distance >= reach) {
            continue;
        }
        const int child = tree.rank_of(tree.node() + distance);
        const int blocks = std::min(distance, reach - distance);
        if (tree.is_root()) {
            send_from_root(task, child, blocks);
        } else {
            task.net.send(task.block(subtree, distance), index_of(blocks) * task.count, child);
        }
    }
    if (subtree != nullptr && !leaf) {
        task.copy(subtree, task.out, task.count);
    }
}

void scatter_linear(const Task& task) {
    if (task.rank() != task.root) {
        task.net.receive(task.out, task.count, task.root);
        return;
    }
    for (int distance = 1; distance < task.size(); ++distance) {
        task.net.start_send(task.block(task.in, task.ahead(distance)), task.count, task.ahead(distance));
    }
    task.net.finish_sends();
}

}  // namespace fathom::collectives::reference
