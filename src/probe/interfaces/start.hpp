#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "base/units.hpp"

namespace fathom::probe {

/// The ranks could not start together. Thrown on all ranks, so that the job continues without the point.
class NoCommonStart : public NotMeasured {
  public:
    using NotMeasured::NotMeasured;
};

/// How the ranks of a repetition start together.
class Start {
  public:
    Start() = default;
    Start(const Start&) = delete;
    Start& operator=(const Start&) = delete;
    virtual ~Start() = default;

    /// Before a series of `count` repetitions. Collective.
    virtual void begin(std::int64_t /*count*/) {}

    /// Whether an untimed call must precede each series: ranks that start back to back are brought
    /// in step by the operation itself.
    [[nodiscard]] virtual bool needs_lead_in() const { return false; }

    /// Returns when this rank may start its call; false if it missed that moment.
    virtual bool align() = 0;

    /// Whether a call that ended at `end` on this rank's clock left the next slot free.
    [[nodiscard]] virtual bool in_time(Nanoseconds /*end*/) { return true; }

    /// After a series: how many of its repetitions were invalid on some rank. Collective, with the same
    /// numbers on all ranks. May throw NoCommonStart.
    virtual void adapt(std::int64_t /*invalid*/, std::int64_t /*count*/) {}

    /// What a repetition takes at least, as it has adapted; the same on all ranks.
    [[nodiscard]] virtual Nanoseconds least_rep() const { return {0}; }
};

}  // namespace fathom::probe
