#include "tree/analysis/traced_calls.hpp"

#include <algorithm>

namespace fathom::tree {
namespace {

/// Where a broadcast's data went down, they went up no more.
void mark_sources(std::vector<Passage>& passages) {
    for (auto& passage : passages) {
        if (passage.up_ns == Event::never && passage.down_ns != Event::never) {
            passage.up_ns = passage.down_ns;
            passage.source = true;
        }
    }
}

}  // namespace

Nanoseconds TracedCalls::bound_between(int a, int b) const {
    if (a == b) {
        return {0};
    }
    const auto of = [&](int rank) {
        const auto found = clock_bounds.find(rank);
        return found == clock_bounds.end() ? Nanoseconds{0} : found->second;
    };
    return of(a) + of(b);
}

void CallGatherer::add(int launch, int rank, std::span<const Event> events, const ToGlobal& to_global) {
    for (const auto& event : events) {
        if (!index_.has_collector(event.collector) || index_.rank_of_collector(event.collector) != rank) {
            ++gathered_.strays;
            continue;
        }
        auto& passages = calls_[{launch, event.call}];
        passages.resize(index_.collectors());
        auto& passage = passages[event.collector];
        if (passage.down_ns != Event::never || passage.up_ns != Event::never) {
            ++gathered_.strays;
            continue;
        }
        const auto global = [&](std::int64_t own) {
            return own == Event::never ? Event::never : to_global(rank, {own}).count;
        };
        passage = {.down_ns = global(event.down_ns), .up_ns = global(event.up_ns)};
    }
}

void CallGatherer::add_bound(int rank, Nanoseconds bound) {
    auto& known = gathered_.clock_bounds[rank];
    known = std::max(known, bound);
}

void CallGatherer::add_computing(int rank, double computing_ns, double whole_ns) {
    // The share of all launches is the mean of theirs, by how long they took.
    auto& share = gathered_.computing[rank];
    auto& before = whole_ns_[rank];
    share = (share * before + computing_ns) / (before + whole_ns);
    before += whole_ns;
}

TracedCalls CallGatherer::take() {
    gathered_.down = false;
    gathered_.up = false;
    gathered_.calls.clear();
    for (auto& [call, passages] : calls_) {
        gathered_.down = gathered_.down || has_way(passages, &Passage::down_ns);
        gathered_.up = gathered_.up || has_way(passages, &Passage::up_ns);
        gathered_.calls.push_back(
            {.launch = call.first, .number = call.second, .passages = std::move(passages)});
    }
    calls_.clear();
    if (gathered_.up && !gathered_.down) {
        for (auto& call : gathered_.calls) {
            mark_sources(call.passages);
        }
    }
    return std::move(gathered_);
}

bool CallGatherer::has_way(const std::vector<Passage>& passages, std::int64_t Passage::*way) const {
    int leaves = 0;
    for (int leaf = 0; leaf < index_.leaves(); ++leaf) {
        const auto& passage = passages[static_cast<std::size_t>(collector_of(leaf, End::own))];
        leaves += passage.*way != Event::never ? 1 : 0;
    }
    return leaves > 1 || leaves == index_.leaves();
}

bool is_complete(const NodeIndex& index, const TracedCalls& calls, std::size_t call) {
    const auto& passages = calls.calls[call].passages;
    for (std::size_t collector = 0; collector < passages.size(); ++collector) {
        const auto& passage = passages[collector];
        if (index.has_collector(collector) && ((calls.down && passage.down_ns == Event::never) ||
                                               (calls.up && passage.up_ns == Event::never))) {
            return false;
        }
    }
    return true;
}

}  // namespace fathom::tree
