#pragma once

#include <map>
#include <string>
#include <vector>

#include "clock/timeline.hpp"
#include "journal/records.hpp"

namespace fathom::analysis {

/// The global clock of a job: every rank's way from its own clock to rank 0's.
class GlobalTime {
  public:
    /// With `one_clock`, all ranks are known to read one, as simulated ranks do; no synchronisation is
    /// needed.
    explicit GlobalTime(const std::vector<journal::ClockSync>& syncs, bool one_clock = false);

    /// Whether there is a global clock at all: runs of earlier versions have none.
    [[nodiscard]] bool known() const { return one_clock_ || !ranks_.empty(); }
    [[nodiscard]] Nanoseconds global(int rank, Nanoseconds own) const;
    [[nodiscard]] Nanoseconds bound(int rank, Nanoseconds own) const;
    /// The largest between two times.
    [[nodiscard]] Nanoseconds largest_bound(int rank, Nanoseconds from, Nanoseconds to) const;
    [[nodiscard]] const std::map<int, clock::Timeline>& ranks() const { return ranks_; }

  private:
    bool one_clock_;
    std::map<int, clock::Timeline> ranks_;
    /// Of ranks that read rank 0's clock: they do not drift, however long ago that was found out.
    std::map<int, Nanoseconds> shared_bounds_;
};

}  // namespace fathom::analysis
