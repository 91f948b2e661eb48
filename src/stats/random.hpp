#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

#include "base/splitmix64.hpp"

namespace fathom::stats {

/// Random numbers that are the same everywhere for one seed; those of the standard library's distributions
/// are not.
class Random {
  public:
    explicit Random(std::uint64_t seed) : seed_(seed) {}

    /// Above 0 and below 1.
    double uniform() {
        constexpr double steps = 1.0 / 9007199254740992.0;  // 2^53
        constexpr int kept = 11;
        return (static_cast<double>(splitmix64(seed_, rolls_++) >> kept) + 0.5) * steps;
    }

    /// One of `count` places, from 0.
    std::size_t place(std::size_t count) {
        const auto at = static_cast<std::size_t>(uniform() * static_cast<double>(count));
        return at < count ? at : count - 1;
    }

    /// Mean 0 and deviation 1 (Box and Muller).
    double normal() {
        if (has_spare_) {
            has_spare_ = false;
            return spare_;
        }
        const double radius = std::sqrt(-2 * std::log(uniform()));
        const double angle = 2 * std::numbers::pi * uniform();
        spare_ = radius * std::sin(angle);
        has_spare_ = true;
        return radius * std::cos(angle);
    }

  private:
    std::uint64_t seed_;
    std::uint64_t rolls_ = 0;
    bool has_spare_ = false;
    double spare_ = 0;
};

}  // namespace fathom::stats
