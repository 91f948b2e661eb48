#include "collectives/reference/task.hpp"

#include <algorithm>
#include <cstring>

#include <climits>

#include "collectives/mpi_failure.hpp"

namespace fathom::collectives::reference {
namespace {

/// MPI counts elements, and bytes of packed ones, in 32 bits.
std::size_t most_at_once(const Layout& layout) {
    return static_cast<std::size_t>(INT_MAX) / std::max<std::size_t>(layout.bytes, 1);
}

}  // namespace

void Task::copy(const std::byte* from, std::byte* to, std::size_t elements) const {
    if (elements == 0) {
        return;
    }
    if (layout.dense) {
        std::memcpy(to, from, elements * layout.bytes);
        return;
    }
    // In pieces that stay in a cache.
    constexpr std::size_t piece_bytes = std::size_t{1} << 16U;
    const auto piece = std::max<std::size_t>(1, piece_bytes / std::max<std::size_t>(layout.bytes, 1));
    auto* const packed = memory.get(Slot::copied, piece * layout.bytes);
    const auto bytes = static_cast<int>(piece * layout.bytes);
    for (std::size_t done = 0; done < elements; done += piece) {
        const auto part = static_cast<int>(std::min(piece, elements - done));
        int position = 0;
        checked(MPI_Pack(at(from, done), part, layout.type, packed, bytes, &position, net.communicator()));
        position = 0;
        checked(MPI_Unpack(packed, bytes, &position, at(to, done), part, layout.type, net.communicator()));
    }
}

void Task::combine(std::byte* result, std::byte* other, std::size_t elements, bool other_is_lower) const {
    const bool into_result = commutative || other_is_lower;
    const auto piece = most_at_once(layout);
    for (std::size_t done = 0; done < elements; done += piece) {
        const auto part = static_cast<int>(std::min(piece, elements - done));
        auto* const left = at(into_result ? other : result, done);
        auto* const right = at(into_result ? result : other, done);
        checked(MPI_Reduce_local(left, right, part, layout.type, op));
    }
    if (!into_result) {
        copy(other, result, elements);
    }
}

void scatter_shares(const Task& task, std::byte* base, Starts shares, const Binomial& tree, int nodes) {
    const int node = tree.node();
    const auto place = [&](int number) { return task.at(base, shares[index_of(number)]); };
    if (!tree.is_root()) {
        task.net.receive(place(node), elements_between(shares, node, node + tree.reach(nodes)),
                         tree.parent());
    }
    for (int distance = tree.beyond_children(nodes) / 2; distance > 0; distance /= 2) {
        const int child = node + distance;
        if (child < nodes) {
            task.net.send(place(child), elements_between(shares, child, std::min(child + distance, nodes)),
                          tree.rank_of(child));
        }
    }
}

void gather_shares_around_ring(const Task& task, std::byte* base, Starts shares, int node) {
    const int size = task.size();
    int own = node;
    for (int step = 1; step < size; ++step) {
        const int next = (own - 1 + size) % size;
        task.net.exchange(task.at(base, shares[index_of(own)]), elements_between(shares, own, own + 1),
                          task.ahead(1), task.at(base, shares[index_of(next)]),
                          elements_between(shares, next, next + 1), task.behind(1));
        own = next;
    }
}

void ring_of_blocks(const Task& task) {
    gather_shares_around_ring(task, task.out, equal_blocks(task.count, task.size(), task.starts),
                              task.rank());
}

bool fold_in(const Task& task, const Fold& fold, std::byte* result) {
    if (!fold.acts()) {
        task.net.send(task.in, task.count, fold.neighbour());
        return false;
    }
    if (!fold.paired()) {
        task.take_own(result);
        return true;
    }
    auto* const other = task.room(Slot::first, task.count);
    task.net.start_receive(other, task.count, fold.neighbour());
    task.take_own(result);
    task.net.finish_receives();
    task.combine(result, other, task.count, fold.neighbour() < task.rank());
    return true;
}

void fold_out(const Task& task, const Fold& fold, std::byte* result, std::size_t elements) {
    if (!fold.paired()) {
        return;
    }
    if (fold.acts()) {
        task.net.send(result, elements, fold.neighbour());
    } else {
        task.net.receive(result, elements, fold.neighbour());
    }
}

Range halve(const Task& task, const Fold& fold, std::byte* result, Starts shares) {
    Range kept{.first = 0, .last = fold.places()};
    auto* const other = task.room(Slot::first, task.count);
    for (int distance = 1; distance < fold.places(); distance *= 2) {
        const int middle = (kept.first + kept.last) / 2;
        const int partner = flipped(fold.place(), distance);
        const int peer = fold.rank_of(partner);
        Range given{.first = middle, .last = kept.last};
        if (partner < fold.place()) {
            given = {.first = kept.first, .last = middle};
            kept.first = middle;
        } else {
            kept.last = middle;
        }
        auto* const own = task.at(result, shares[index_of(kept.first)]);
        const auto elements = elements_between(shares, kept.first, kept.last);
        task.net.exchange(task.at(result, shares[index_of(given.first)]),
                          elements_between(shares, given.first, given.last), peer, other, elements, peer);
        task.combine(own, other, elements, peer < task.rank());
    }
    return kept;
}

}  // namespace fathom::collectives::reference
