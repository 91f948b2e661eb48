#pragma once

#include "machine/counters.hpp"
#include "probe/interfaces/clock.hpp"
#include "probe/interfaces/counters.hpp"

namespace fathom::probe {

/// The kernel's, of the thread that makes it.
class SystemCounters : public Counters {
  public:
    /// Measures the cost of readings, by the median of many.
    explicit SystemCounters(const Clock& clock);

    journal::Counts own() override;
    journal::Counts network() override;
    [[nodiscard]] Nanoseconds own_cost() const override { return own_cost_; }
    [[nodiscard]] Nanoseconds network_cost() const override { return network_cost_; }
    [[nodiscard]] Nanoseconds rto() const override;
    [[nodiscard]] Nanoseconds least_rto() const override;

  private:
    machine::NetworkCounters network_;
    machine::RunDelay delay_;
    Nanoseconds waited_;         // as it was last read,
    std::int64_t switches_ = 0;  // after this many switches
    int processor_ = -1;
    std::int64_t migrations_ = 0;
    Nanoseconds own_cost_;
    Nanoseconds network_cost_;
};

}  // namespace fathom::probe
