#pragma once

#include "base/units.hpp"
#include "journal/evidence.hpp"

namespace fathom::probe {

/// What the operating system counts for one rank; replaced by fakes in unit tests.
class Counters {
  public:
    Counters() = default;
    Counters(const Counters&) = delete;
    Counters& operator=(const Counters&) = delete;
    virtual ~Counters() = default;

    /// Of the rank itself so far.
    virtual journal::Counts own() = 0;
    /// Of its host's network so far.
    virtual journal::Counts network() = 0;

    /// What such a reading takes.
    [[nodiscard]] virtual Nanoseconds own_cost() const = 0;
    [[nodiscard]] virtual Nanoseconds network_cost() const = 0;

    /// The smallest retransmission timeout of its connections, and the kernel's least one; 0 if unknown.
    [[nodiscard]] virtual Nanoseconds rto() const = 0;
    [[nodiscard]] virtual Nanoseconds least_rto() const = 0;
};

}  // namespace fathom::probe
