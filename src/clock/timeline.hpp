#pragma once

#include <vector>

#include "clock/drift.hpp"
#include "clock/link.hpp"

namespace fathom::clock {

/// A stretch between two synchronisations over which no even drift explains the offsets.
struct Break {
    Nanoseconds from;      ///< near clock
    Nanoseconds to;        ///< near clock
    double before_ppm = 0;  ///< drift that held up to it
    double after_ppm = 0;   ///< drift within it
    /// How far interpolated times within it may be off for this reason alone.
    Nanoseconds uncertainty;
};

/// One rank's way from its own clock to the global one, from all synchronisations of a job: offsets are taken
/// before and after each phase and interpolated.
class Timeline {
  public:
    /// Links from the own to the global clock, in the order of time.
    explicit Timeline(std::vector<Link> links);

    [[nodiscard]] bool empty() const { return links_.empty(); }
    [[nodiscard]] const std::vector<Link>& links() const { return links_; }

    /// The global time when the own clock shows `own`. Beyond the first and last synchronisation the nearest
    /// drift goes on. There must be a link.
    [[nodiscard]] Nanoseconds global(Nanoseconds own) const;

    /// The largest error of global(own): between two synchronisations it is interpolated too, beyond them it
    /// grows by the drift limit, and within a break by what the break leaves open.
    [[nodiscard]] Nanoseconds bound(Nanoseconds own) const;

    /// Where the drift changed. Found by cutting the links into stretches that a line can explain.
    [[nodiscard]] const std::vector<Break>& breaks() const { return breaks_; }

  private:
    [[nodiscard]] std::size_t phase_of(Nanoseconds own) const;
    void find_breaks();

    std::vector<Link> links_;
    std::vector<Break> breaks_;
};

}  // namespace fathom::clock
