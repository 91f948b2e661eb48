#include "collectives/reference/algorithms.hpp"

namespace fathom::collectives::reference {

void allreduce_recursive_doubling(const Task& task) {
    const Fold fold(task.rank(), task.size());
    if (fold_in(task, fold, task.out)) {
        auto* const other = task.room(Slot::first, task.count);
        for (int distance = 1; distance < fold.places(); distance *= 2) {
            const int peer = fold.rank_of(flipped(fold.place(), distance));
            task.net.exchange(task.out, task.count, peer, other, task.count, peer);
            task.combine(task.out, other, task.count, peer < task.rank());
        }
    }
    fold_out(task, fold, task.out, task.count);
}

void allreduce_rabenseifner(const Task& task) {
    const Fold fold(task.rank(), task.size());
    if (fold_in(task, fold, task.out)) {
        const auto shares = share_out(task.count, fold.places(), task.starts);
        auto known = halve(task, fold, task.out, shares);
        for (int distance = fold.places() / 2; distance > 0; distance /= 2) {
            const int peer = fold.rank_of(flipped(fold.place(), distance));
            const int width = known.last - known.first;
            const int theirs = flipped(known.first, width);
            task.net.exchange(task.at(task.out, shares[index_of(known.first)]),
                              elements_between(shares, known.first, known.last), peer,
                              task.at(task.out, shares[index_of(theirs)]),
                              elements_between(shares, theirs, theirs + width), peer);
            known = {.first = known.first & ~width, .last = (known.first & ~width) + 2 * width};
        }
    }
    fold_out(task, fold, task.out, task.count);
}

void allreduce_ring(const Task& task) {
    const int size = task.size();
    const auto shares = share_out(task.count, size, task.starts);
    auto* const other = task.room(Slot::first, elements_between(shares, 0, 1));
    task.take_own(task.out);
    // A share goes around once and is complete at the rank before the one that started it.
    int sent = task.rank();
    for (int step = 1; step < size; ++step) {
        const int received = (sent - 1 + size) % size;
        const auto elements = elements_between(shares, received, received + 1);
        task.net.exchange(task.at(task.out, shares[index_of(sent)]), elements_between(shares, sent, sent + 1),
                          task.ahead(1), other, elements, task.behind(1));
        task.combine(task.at(task.out, shares[index_of(received)]), other, elements, true);
        sent = received;
    }
    gather_shares_around_ring(task, task.out, shares, task.ahead(1));
}

}  // namespace fathom::collectives::reference
