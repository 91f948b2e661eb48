#include <algorithm>

#include "collectives/reference/algorithms.hpp"

namespace fathom::collectives::reference {

void bcast_binomial(const Task& task) {
    const Binomial tree(task.rank(), task.size(), task.root);
    if (!tree.is_root()) {
        task.net.receive(task.out, task.count, tree.parent());
    }
    for (int distance = tree.beyond_children(task.size()) / 2; distance > 0; distance /= 2) {
        const int child = tree.node() + distance;
        if (child < task.size()) {
            task.net.send(task.out, task.count, tree.rank_of(child));
        }
    }
}

void bcast_scatter_rd_allgather(const Task& task) {
    const Binomial tree(task.rank(), task.size(), task.root);
    const int places = power_of_two_within(task.size());
    const int node = tree.node();
    if (node >= places) {
        task.net.receive(task.out, task.count, tree.rank_of(node - places));
        return;
    }
    const auto shares = share_out(task.count, places, task.starts);
    scatter_shares(task, task.out, shares, tree, places);
    for (int distance = 1; distance < places; distance *= 2) {
        const int own = node / distance * distance;
        const int theirs = flipped(own, distance);
        const int peer = tree.rank_of(flipped(node, distance));
        task.net.exchange(task.at(task.out, shares[index_of(own)]),
                          elements_between(shares, own, own + distance), peer,
                          task.at(task.out, shares[index_of(theirs)]),
                          elements_between(shares, theirs, theirs + distance), peer);
    }
    if (node + places < task.size()) {
        task.net.send(task.out, task.count, tree.rank_of(node + places));
    }
}

void bcast_scatter_ring_allgather(const Task& task) {
    const Binomial tree(task.rank(), task.size(), task.root);
    const auto shares = share_out(task.count, task.size(), task.starts);
    scatter_shares(task, task.out, shares, tree, task.size());
    gather_shares_around_ring(task, task.out, shares, tree.node());
}

void bcast_chain(const Task& task) {
    const int node = task.behind(task.root);
    const bool receives = node > 0;
    const bool sends = node + 1 < task.size();
    const auto length = [&](std::size_t start) { return std::min(task.segment, task.count - start); };
    if (receives) {
        task.net.start_receive(task.out, length(0), task.behind(1));
    }
    std::size_t start = 0;
    do {
        const auto next = start + task.segment;
        if (receives) {
            task.net.finish_receives();
            if (next < task.count) {
                task.net.start_receive(task.at(task.out, next), length(next), task.behind(1));
            }
        }
        if (sends) {
            task.net.finish_sends();  // of the segment before: one leaves at a time
            task.net.start_send(task.at(task.out, start), length(start), task.ahead(1));
        }
        start = next;
    } while (start < task.count);
    task.net.finish_sends();
}

}  // namespace fathom::collectives::reference
