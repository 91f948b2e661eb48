#include "analysis/samples/global_time.hpp"

#include <algorithm>

#include "journal/clock_link.hpp"
#include "journal/limits.hpp"

namespace fathom::analysis {

GlobalTime::GlobalTime(const std::vector<journal::ClockSync>& syncs, bool one_clock) : one_clock_(one_clock) {
    std::map<int, std::vector<clock::Link>> links;
    std::map<int, bool> shared;
    for (const auto& sync : syncs) {
        auto& known = links[sync.rank];
        shared[sync.rank] = sync.shared && (known.empty() || shared[sync.rank]);
        const auto link = journal::own_to_global(sync);
        // Two within one tick of a coarse clock say the same.
        if (known.empty() || link.at > known.back().at) {
            known.push_back(link);
        }
    }
    for (auto& [rank, known] : links) {
        if (shared[rank]) {
            const auto largest = std::ranges::max_element(known, {}, &clock::Link::bound);
            shared_bounds_[rank] = largest->bound();
        }
        ranks_.emplace(rank, clock::Timeline(std::move(known)));
    }
}

Nanoseconds GlobalTime::global(int rank, Nanoseconds own) const {
    const auto timeline = ranks_.find(rank);
    const auto global = timeline == ranks_.end() ? own : timeline->second.global(own);
    // The clock of rank 0, whose readings are within this.
    if (global.count < -journal::latest_ns || global.count > journal::latest_ns) {
        throw clock::TooFarApart();
    }
    return global;
}

Nanoseconds GlobalTime::largest_bound(int rank, Nanoseconds from, Nanoseconds to) const {
    if (const auto shared = shared_bounds_.find(rank); shared != shared_bounds_.end()) {
        return rank == 0 ? Nanoseconds{0} : shared->second;
    }
    const auto timeline = ranks_.find(rank);  // rank 0 is the global clock
    return rank == 0 || timeline == ranks_.end() ? Nanoseconds{0} : timeline->second.largest_bound(from, to);
}

Nanoseconds GlobalTime::bound(int rank, Nanoseconds own) const {
    return largest_bound(rank, own, own);
}

}  // namespace fathom::analysis
