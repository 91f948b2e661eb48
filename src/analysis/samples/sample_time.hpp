#pragma once

#include "journal/samples.hpp"
#include "store/store.hpp"

namespace fathom::analysis {

/// A stored duration as the time of one call: without the cost of the time stamps, per call in a row and per
/// one-way message.
class SampleTime {
  public:
    SampleTime(const store::Store& store, const store::PointRow& point);

    [[nodiscard]] double of(int rank, const journal::Sample& sample) const {
        return by_call(whole(rank, sample));
    }
    /// The duration without the cost of the time stamps, but of all calls and both ways.
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
