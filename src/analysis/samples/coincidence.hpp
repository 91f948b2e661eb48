#pragma once

#include <cstddef>
#include <vector>

#include "analysis/samples/evidence.hpp"
#include "analysis/samples/repetitions.hpp"

namespace fathom::analysis {

/// Repetitions `first` to before `end`, by their index.
struct RepetitionRange {
    std::size_t first = 0;
    std::size_t end = 0;

    [[nodiscard]] bool empty() const { return first >= end; }
};

/// Finds the repetitions that were made in a stretch of time. They need the global clock; without one there
/// are none.
class RepetitionsInTime {
  public:
    explicit RepetitionsInTime(const Repetitions& repetitions) : when_(repetitions.when) {}

    /// Those that overlap it. Repetitions follow each other on every rank, so they are neighbours.
    [[nodiscard]] RepetitionRange during(const Stretch& stretch) const;
    /// How long a repetition and a stretch overlap.
    [[nodiscard]] Nanoseconds overlap(std::size_t index, const Stretch& stretch) const;

  private:
    const std::vector<Stretch>& when_;
};

/// How long a repetition took as a whole: a time may be a part of it.
std::vector<double> whole_times(const Repetitions& repetitions);

/// Above which a time is slow: the median and ten standard deviations (by the median distance from it, which
/// outliers do not touch), at least half as much again as the median.
double slow_threshold(const std::vector<double>& times);

}  // namespace fathom::analysis
