#include "collectives/reference/algorithms.hpp"

namespace fathom::collectives::reference {
namespace {

void keep_own_block(const Task& task) {
    task.copy(task.block(task.in, task.rank()), task.block(task.out, task.rank()), task.count);
}

void swap_blocks(const Task& task, int to, int from) {
    task.net.exchange(task.block(task.in, to), task.count, to, task.block(task.out, from), task.count, from);
}

}  // namespace

void alltoall_bruck(const Task& task) {
    const int size = task.size();
    auto* const turned = task.room(Slot::first, index_of(size) * task.count);
    auto* const sent = task.room(Slot::second, index_of(size) * task.count);
    auto* const received = task.room(Slot::third, index_of(size) * task.count);
    // Block k is the one for the rank k further on.
    const int before = size - task.rank();
    task.copy(task.block(task.in, task.rank()), turned, index_of(before) * task.count);
    task.copy(task.in, task.block(turned, before), index_of(task.rank()) * task.count);
    for (int distance = 1; distance < size; distance *= 2) {
        int packed = 0;
        const auto for_each_that_travels = [&](const auto& body) {
            packed = 0;
            for (int block = distance; block < size; ++block) {
                if (block / distance % 2 == 1) {
                    body(block);
                    ++packed;
                }
            }
        };
        for_each_that_travels(
            [&](int block) { task.copy(task.block(turned, block), task.block(sent, packed), task.count); });
        const auto elements = index_of(packed) * task.count;
        task.net.exchange(sent, elements, task.ahead(distance), received, elements, task.behind(distance));
        for_each_that_travels([&](int block) {
            task.copy(task.block(received, packed), task.block(turned, block), task.count);
        });
    }
    // Block k came from the rank k back.
    for (int block = 0; block < size; ++block) {
        task.copy(task.block(turned, block), task.block(task.out, task.behind(block)), task.count);
    }
}

void alltoall_isend_irecv(const Task& task) {
    for (int step = 1; step < task.size(); ++step) {
        task.net.start_receive(task.block(task.out, task.behind(step)), task.count, task.behind(step));
    }
    for (int step = 1; step < task.size(); ++step) {
        task.net.start_send(task.block(task.in, task.ahead(step)), task.count, task.ahead(step));
    }
    keep_own_block(task);
    task.net.finish();
}

void alltoall_pairwise_exchange(const Task& task) {
    const int size = task.size();
    const bool power_of_two = power_of_two_within(size) == size;
    keep_own_block(task);
    // Without a power of two, ranks whose sum is `step` are partners; step 0 is no exception then.
    for (int step = power_of_two ? 1 : 0; step < size; ++step) {
        const int partner = power_of_two ? flipped(task.rank(), step) : (step - task.rank() + size) % size;
        if (partner != task.rank()) {
            swap_blocks(task, partner, partner);
        }
    }
}

void alltoall_pairwise_shift(const Task& task) {
    keep_own_block(task);
    for (int step = 1; step < task.size(); ++step) {
        swap_blocks(task, task.ahead(step), task.behind(step));
    }
}

}  // namespace fathom::collectives::reference
