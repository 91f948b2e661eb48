#include "analysis/samples/sample_time.hpp"

#include <algorithm>
#include <cmath>

#include "journal/records.hpp"
#include "plan/operations.hpp"

namespace fathom::analysis {

SampleTime::SampleTime(const store::Store& store, const store::PointRow& point, plan::RoundTrip round_trip)
    : empty_(point.job ? store.empty_times(*point.job) : store::EmptyTimes{}),
      parts_(static_cast<double>(point.calls)) {
    const auto& operation = plan::find_operation(point.key.operation);
    if (operation.kind != plan::Kind::round_trip || round_trip == plan::RoundTrip::half) {
        parts_ *= static_cast<double>(operation.legs());
    }
    for (const auto& [rank, counts] : store.tallies(point.id)) {
        if (const auto barrier = counts.find(journal::finish_barrier_tally); barrier != counts.end()) {
            auto& subtracted = empty_[rank];
            subtracted = subtracted + Nanoseconds{std::llround(barrier->second)};
        }
    }
}

Nanoseconds SampleTime::whole(int rank, const journal::Sample& sample) const {
    const auto empty = empty_.find(rank);
    return empty == empty_.end() ? sample.duration
                                 : std::max(Nanoseconds{0}, sample.duration - empty->second);
}

Nanoseconds SampleTime::largest_empty() const {
    Nanoseconds largest{0};
    for (const auto& [rank, empty] : empty_) {
        largest = std::max(largest, empty);
    }
    return largest;
}

}  // namespace fathom::analysis
