#pragma once

#include "journal/samples.hpp"
#include "plan/choices.hpp"
#include "store/store.hpp"

namespace fathom::analysis {

/// A stored duration as the time of one call: without the cost of the time stamps and of a barrier that ended
/// it, per call in a row and per one-way message, unless whole round trips count.
class SampleTime {
  public:
    SampleTime(const store::Store& store, const store::PointRow& point,
               plan::RoundTrip round_trip = plan::RoundTrip::half);

    [[nodiscard]] double of(int rank, const journal::Sample& sample) const {
        return by_call(whole(rank, sample));
    }
    /// The duration without what is subtracted, but of all calls and both ways.
    [[nodiscard]] Nanoseconds whole(int rank, const journal::Sample& sample) const;
    [[nodiscard]] double by_call(Nanoseconds whole) const {
        return static_cast<double>(whole.count) / parts_;
    }
    /// What is subtracted, largest over ranks.
    [[nodiscard]] Nanoseconds largest_empty() const;

  private:
    store::EmptyTimes empty_;
    double parts_;
};

}  // namespace fathom::analysis
