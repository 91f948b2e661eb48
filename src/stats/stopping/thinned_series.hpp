#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace fathom::stats {

/// An even selection of a series of any length, in its order: all values while they fit, then every second,
/// every fourth, and so on. Never holds more than `most` values, nor fewer than half of that once thinned.
class ThinnedSeries {
  public:
    static constexpr std::size_t usual_most = 65'536;

    explicit ThinnedSeries(std::size_t most = usual_most) : most_(most) {}

    void add(std::span<const double> values);
    [[nodiscard]] std::span<const double> values() const { return values_; }
    /// Of the values added, held or not.
    [[nodiscard]] std::size_t count() const { return count_; }
    /// Every how many-th value is held.
    [[nodiscard]] std::size_t step() const { return step_; }

  private:
    void halve();

    std::size_t most_;
    std::size_t count_ = 0;
    std::size_t step_ = 1;
    std::vector<double> values_;
};

}  // namespace fathom::stats
