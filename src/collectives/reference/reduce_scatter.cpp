#include "collectives/reference/algorithms.hpp"

namespace fathom::collectives::reference {
namespace {

std::size_t start_of(const Task& task, const Fold& fold, int place) {
    return task.blocks[index_of(fold.first_of(place))];
}

/// What a place has is the blocks of its ranks, of which one acts: both get theirs.
void hand_out(const Task& task, const Fold& fold, std::byte* blocks) {
    const auto elements = [&](int rank) { return elements_between(task.blocks, rank, rank + 1); };
    if (!fold.paired()) {
        task.copy(blocks, task.out, elements(task.rank()));
        return;
    }
    // The upper one of a pair acts.
    const int lower = fold.neighbour();
    task.net.start_send(blocks, elements(lower), lower);
    task.copy(task.at(blocks, elements(lower)), task.out, elements(task.rank()));
    task.net.finish_sends();
}

/// The groups of places in the order of their reversed bits: partners at distances 1, 2, 4, ... halve ranges
/// then, and what they combine are neighbours.
Starts reverse_order(const Task& task, const Fold& fold, const std::byte* from, std::byte* to) {
    std::size_t end = 0;
    for (int position = 0; position < fold.places(); ++position) {
        const int place = reversed_bits(position, fold.places());
        const auto start = start_of(task, fold, place);
        const auto elements = start_of(task, fold, place + 1) - start;
        task.copy(task.at(from, start), task.at(to, end), elements);
        task.starts[index_of(position)] = end;
        end += elements;
    }
    task.starts[index_of(fold.places())] = end;
    return task.starts.first(index_of(fold.places()) + 1);
}

Starts order_of_places(const Task& task, const Fold& fold) {
    for (int place = 0; place <= fold.places(); ++place) {
        task.starts[index_of(place)] = start_of(task, fold, place);
    }
    return task.starts.first(index_of(fold.places()) + 1);
}

void receive_own_block(const Task& task, const Fold& fold) {
    task.net.receive(task.out, elements_between(task.blocks, task.rank(), task.rank() + 1), fold.neighbour());
}

}  // namespace

void reduce_scatter_recursive_halving(const Task& task) {
    const Fold fold(task.rank(), task.size());
    auto* result = task.room(Slot::second, task.count);
    if (!fold_in(task, fold, result)) {
        receive_own_block(task, fold);
        return;
    }
    const int places = fold.places();
    const auto position_of = [&](int place) {
        return task.commutative ? place : reversed_bits(place, places);
    };
    Starts groups;
    if (task.commutative) {
        groups = order_of_places(task, fold);
    } else {
        auto* const turned = task.room(Slot::third, task.count);
        groups = reverse_order(task, fold, result, turned);
        result = turned;
    }
    auto* const other = task.room(Slot::first, task.count);
    const int position = position_of(fold.place());
    for (int half = places / 2; half > 0; half /= 2) {
        const int kept = position / half * half;
        const int given = flipped(kept, half);
        const int peer = fold.rank_of(position_of(flipped(position, half)));
        const auto elements = elements_between(groups, kept, kept + half);
        task.net.exchange(task.at(result, groups[index_of(given)]),
                          elements_between(groups, given, given + half), peer, other, elements, peer);
        task.combine(task.at(result, groups[index_of(kept)]), other, elements, peer < task.rank());
    }
    hand_out(task, fold, task.at(result, groups[index_of(position)]));
}

void reduce_scatter_recursive_doubling(const Task& task) {
    const Fold fold(task.rank(), task.size());
    auto* const result = task.room(Slot::second, task.count);
    if (!fold_in(task, fold, result)) {
        receive_own_block(task, fold);
        return;
    }
    const auto groups = order_of_places(task, fold);
    auto* const other = task.room(Slot::first, task.count);
    for (int distance = 1; distance < fold.places(); distance *= 2) {
        // All but the blocks of the ranks that this one has heard of: what it needs of them it has.
        const int own = fold.place() / distance * distance;
        const int theirs = flipped(own, distance);
        const int peer = fold.rank_of(flipped(fold.place(), distance));
        const auto before = groups[index_of(own)];
        const auto end = groups[index_of(own + distance)];
        const auto after = task.count - end;
        const std::byte* sent = result;
        if (before == 0) {
            sent = task.at(result, end);
        } else if (after > 0) {
            auto* const joined = task.room(Slot::third, before + after);
            task.copy(result, joined, before);
            task.copy(task.at(result, end), task.at(joined, before), after);
            sent = joined;
        }
        const auto before_theirs = groups[index_of(theirs)];
        const auto end_of_theirs = groups[index_of(theirs + distance)];
        const auto after_theirs = task.count - end_of_theirs;
        task.net.exchange(sent, before + after, peer, other, before_theirs + after_theirs, peer);
        const bool lower = peer < task.rank();
        task.combine(result, other, before_theirs, lower);
        task.combine(task.at(result, end_of_theirs), task.at(other, before_theirs), after_theirs, lower);
    }
    hand_out(task, fold, task.at(result, groups[index_of(fold.place())]));
}

void reduce_scatter_pairwise(const Task& task) {
    const auto start = [&](int rank) { return task.at(task.in, task.blocks[index_of(rank)]); };
    const auto elements = [&](int rank) { return elements_between(task.blocks, rank, rank + 1); };
    const auto own = elements(task.rank());
    auto* const other = task.room(Slot::first, own);
    // Contributions come from lower ranks, the nearest first, then from higher ones, the highest first. Where
    // the order counts, those of higher ranks become a partial result of their own.
    auto* const of_higher = task.room(Slot::second, own);
    task.copy(start(task.rank()), task.out, own);
    for (int step = 1; step < task.size(); ++step) {
        const int to = task.ahead(step);
        const int from = task.behind(step);
        const bool apart = !task.commutative && from > task.rank();
        const bool first_of_them = apart && from + 1 == task.size();
        auto* const received = first_of_them ? of_higher : other;
        task.net.exchange(start(to), elements(to), to, received, own, from);
        if (!first_of_them) {
            task.combine(apart ? of_higher : task.out, received, own, true);
        }
    }
    if (!task.commutative && task.rank() + 1 < task.size()) {
        task.combine(task.out, of_higher, own, false);
    }
}

}  // namespace fathom::collectives::reference
