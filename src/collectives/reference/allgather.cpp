#include <algorithm>
#include <array>

#include "collectives/reference/algorithms.hpp"

namespace fathom::collectives::reference {

void allgather_recursive_doubling(const Task& task) {
    const Fold fold(task.rank(), task.size());
    const auto all = index_of(task.size()) * task.count;
    if (!fold.acts()) {
        task.net.send(task.block(task.out, task.rank()), task.count, fold.neighbour());
        fold_out(task, fold, task.out, all);
        return;
    }
    if (fold.paired()) {
        task.net.receive(task.block(task.out, fold.neighbour()), task.count, fold.neighbour());
    }
    for (int distance = 1; distance < fold.places(); distance *= 2) {
        const int own = fold.place() / distance * distance;
        const int theirs = flipped(own, distance);
        const int peer = fold.rank_of(flipped(fold.place(), distance));
        const auto blocks = [&](int place) {
            return index_of(fold.first_of(place + distance) - fold.first_of(place)) * task.count;
        };
        task.net.exchange(task.block(task.out, fold.first_of(own)), blocks(own), peer,
                          task.block(task.out, fold.first_of(theirs)), blocks(theirs), peer);
    }
    fold_out(task, fold, task.out, all);
}

void allgather_bruck(const Task& task) {
    const int size = task.size();
    auto* const turned = task.room(Slot::first, index_of(size) * task.count);
    task.copy(task.block(task.out, task.rank()), turned, task.count);
    for (int distance = 1; distance < size; distance *= 2) {
        const auto elements = index_of(std::min(distance, size - distance)) * task.count;
        task.net.exchange(turned, elements, task.behind(distance), task.block(turned, distance), elements,
                          task.ahead(distance));
    }
    const int before = size - task.rank();
    task.copy(turned, task.block(task.out, task.rank()), index_of(before) * task.count);
    task.copy(task.block(turned, before), task.out, index_of(task.rank()) * task.count);
}

void allgather_ring(const Task& task) {
    ring_of_blocks(task);
}

void allgather_neighbor_exchange(const Task& task) {
    const int size = task.size();
    if (size % 2 != 0) {
        ring_of_blocks(task);
        return;
    }
    // Pairs of blocks start at even ranks and pass on in both directions: what came from one neighbour goes
    // to the other in the next step.
    const bool even = task.rank() % 2 == 0;
    const std::array neighbours{even ? task.ahead(1) : task.behind(1), even ? task.behind(1) : task.ahead(1)};
    const int pair = even ? task.rank() : task.rank() - 1;
    task.net.exchange(task.block(task.out, task.rank()), task.count, neighbours[0],
                      task.block(task.out, neighbours[0]), task.count, neighbours[0]);
    int sent = pair;
    for (int step = 1; step < size / 2; ++step) {
        const auto side = index_of(step % 2);
        // The pair that comes is as far away as pairs have passed on this side, including this one.
        const int distance = 2 * ((step + 1) / 2);
        const bool from_above = even == (side == 0);
        const int received = (pair + (from_above ? distance : size - distance)) % size;
        task.net.exchange(task.block(task.out, sent), 2 * task.count, neighbours.at(side),
                          task.block(task.out, received), 2 * task.count, neighbours.at(side));
        sent = received;
    }
}

}  // namespace fathom::collectives::reference
