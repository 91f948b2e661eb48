#pragma once

#include <cstddef>
#include <vector>

#include "clock/drift.hpp"
#include "clock/link.hpp"

namespace fathom::clock {

/// A change of the drift: no straight line explains the offsets around it.
struct Break {
    Nanoseconds from;       ///< near clock: it happened between these two
    Nanoseconds to;         ///< near clock
    double before_ppm = 0;  ///< drift that held up to it
    double after_ppm = 0;   ///< and from then on
    /// How far interpolated times may be off for this reason alone.
    Nanoseconds uncertainty;
};

/// One rank's way from its own clock to the global one, from all synchronisations of a job: offsets are taken
/// before and after each phase and interpolated.
class Timeline {
  public:
    /// Links from the own to the global clock, in the order of time.
    explicit Timeline(std::vector<Link> links);

    /// The global time when the own clock shows `own`. Beyond the first and last synchronisation the nearest
    /// drift is extrapolated as far as it is known. There must be a link.
    [[nodiscard]] Nanoseconds global(Nanoseconds own) const;

    /// The largest error of global(own), given that the drift is even except where a break was found: between
    /// two synchronisations their bounds are interpolated, around a break they grow by what it leaves open,
    /// and beyond the ends by what is not known of the drift.
    [[nodiscard]] Nanoseconds bound(Nanoseconds own) const;

    /// The largest bound between two times.
    [[nodiscard]] Nanoseconds largest_bound(Nanoseconds from, Nanoseconds to) const;

    /// Where the drift changed. Found by cutting the links into stretches that a line can explain.
    [[nodiscard]] const std::vector<Break>& breaks() const { return breaks_; }

  private:
    [[nodiscard]] std::size_t phase_of(Nanoseconds own) const;
    /// What the first or last phase knows of the drift beyond it.
    [[nodiscard]] SlopeRange slope_beyond(std::size_t phase) const;
    void find_breaks();
    void note_break(std::size_t begin, std::size_t end);

    std::vector<Link> links_;
    std::vector<Break> breaks_;
    std::vector<Nanoseconds> open_;  // what breaks leave open, for each phase
};

}  // namespace fathom::clock
