#include "analysis/samples/sample_time.hpp"

#include <algorithm>

#include "plan/operations.hpp"

namespace fathom::analysis {

SampleTime::SampleTime(const store::Store& store, const store::PointRow& point)
    : empty_(point.job ? store.empty_times(*point.job) : store::EmptyTimes{}),
      parts_(static_cast<double>(plan::find_operation(point.key.operation).legs()) *
             static_cast<double>(point.calls)) {}

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
