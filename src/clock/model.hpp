#pragma once

#include <deque>
#include <optional>

#include "clock/drift.hpp"
#include "clock/link.hpp"

namespace fathom::clock {

/// One rank's view of the global clock while a phase is in progress: a line through its latest offsets.
class DriftModel {
  public:
    /// Offsets that the line is fitted to. More would average better but follow a crystal's wander worse.
    static constexpr std::size_t memory = 8;

    /// Takes a new offset, from the own to the global clock. If it contradicts the line within the hard
    /// bounds, the older ones are dropped and `true` is returned: the drift has changed.
    bool add(const Link& link);

    /// Declares the own and the global clock to be the same, so that nothing can drift.
    void set_shared() { shared_ = true; }

    /// There must be an offset, unless shared.
    [[nodiscard]] Nanoseconds global(Nanoseconds own) const;
    /// The own time at which the global clock will show `global`.
    [[nodiscard]] Nanoseconds own(Nanoseconds global) const;

    /// The uncertainty of the model at a time: half of the 95 % interval of its line; with fewer than three
    /// offsets, what their bounds and the drift limit leave open since the last.
    [[nodiscard]] double uncertainty_ns(Nanoseconds own) const;

    [[nodiscard]] const std::optional<DriftFit>& fit() const { return fit_; }

  private:
    /// Whether the line has enough offsets to know its own error.
    [[nodiscard]] bool settled() const { return fit_ && fit_->count >= 3; }
    [[nodiscard]] SlopeRange known_slope() const;

    std::deque<Link> links_;
    std::optional<DriftFit> fit_;
    bool shared_ = false;
};

}  // namespace fathom::clock
