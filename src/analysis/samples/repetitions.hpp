#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/samples/global_time.hpp"
#include "analysis/samples/sample_time.hpp"
#include "analysis/samples/view.hpp"

namespace fathom::analysis {

/// When something happened: in which launch, and at what time on its global clock.
struct Stretch {
    int start = 0;
    Nanoseconds begin;
    Nanoseconds end;
};

/// The repetitions of a point, each with what it counts as.
struct Repetitions {
    std::vector<double> times;        ///< of the valid ones, in their order
    std::vector<std::size_t> begins;  ///< where the times of each launch begin, if several were added
    std::vector<Stretch>
        when;  ///< of each of the times: first start to last end of a rank; none without a clock
    std::vector<int> last_ranks;        ///< of each of the times: who ended last, without a clock who took
                                        ///< longest; -1 where several did, or clocks leave it open
    std::vector<std::int64_t> numbers;  ///< of a matrix: which repetition each of the times is
    double parts = 1;                   ///< times a time is what the whole repetition took
    std::int64_t invalid = 0;           ///< on some rank
    std::int64_t set_aside = 0;         ///< valid ones that are not among the times: a rank was preempted
    std::vector<double> skews;          ///< first to last start on the global clock, of the valid ones
    std::map<int, std::vector<double>> by_rank;  ///< where requested
    /// First and last start of each rank on its own clock.
    std::map<int, std::pair<Nanoseconds, Nanoseconds>> spans;
};

/// Reads them from the store as the view says. Skews need a known clock; without one there are none, and a
/// `span` has no times. `by_rank` is filled where each rank counts for itself, and `with_ranks`.
Repetitions repetitions_of(const store::Store& store, const store::PointRow& point, const GlobalTime& clock,
                           const WholeView& view, bool with_ranks = false);

/// Adds those of another launch of the same point.
void add(Repetitions& repetitions, Repetitions&& another, int start);

/// The repetitions without those marked; the number marked is added to `set_aside`.
Repetitions without(const Repetitions& repetitions, const std::vector<bool>& marked);

}  // namespace fathom::analysis
