#include "collectives/reference/algorithms.hpp"

namespace fathom::collectives::reference {

void reduce_binomial(const Task& task) {
    // Subtrees are ranges of neighbouring ranks if the tree starts at rank 0.
    const int top = task.commutative ? task.root : 0;
    const Binomial tree(task.rank(), task.size(), top);
    const int reach = tree.reach(task.size());
    const std::byte* mine = task.in;
    if (reach > 1) {
        auto* const result = task.rank() == task.root ? task.out : task.room(Slot::second, task.count);
        auto* const other = task.room(Slot::first, task.count);
        task.take_own(result);
        mine = result;
        for (int distance = 1; distance < reach; distance *= 2) {
            task.net.receive(other, task.count, tree.rank_of(tree.node() + distance));
            task.combine(result, other, task.count, false);
        }
    }
    if (!tree.is_root()) {
        task.net.send(mine, task.count, tree.parent());
    }
    if (top != task.root && task.rank() == top) {
        task.net.send(mine, task.count, task.root);
    } else if (top != task.root && task.rank() == task.root) {
        task.net.receive(task.out, task.count, top);
    } else if (task.size() == 1) {
        task.take_own(task.out);
    }
}

void reduce_rabenseifner(const Task& task) {
    const Fold fold(task.rank(), task.size(), task.root);
    auto* const result = task.rank() == task.root ? task.out : task.room(Slot::second, task.count);
    if (!fold_in(task, fold, result)) {
        return;
    }
    const auto shares = share_out(task.count, fold.places(), task.starts);
    auto known = halve(task, fold, result, shares);
    // The last partners first: of two, the one that is as the root in this bit goes on.
    const int target = fold.place_of(task.root);
    for (int distance = fold.places() / 2; distance > 0; distance /= 2) {
        const int partner = flipped(fold.place(), distance);
        const int width = known.last - known.first;
        if (fold.place() / distance % 2 != target / distance % 2) {
            task.net.send(task.at(result, shares[index_of(known.first)]),
                          elements_between(shares, known.first, known.last), fold.rank_of(partner));
            return;
        }
        const int theirs = flipped(known.first, width);
        task.net.receive(task.at(result, shares[index_of(theirs)]),
                         elements_between(shares, theirs, theirs + width), fold.rank_of(partner));
        known = {.first = known.first & ~width, .last = (known.first & ~width) + 2 * width};
    }
}

}  // namespace fathom::collectives::reference
