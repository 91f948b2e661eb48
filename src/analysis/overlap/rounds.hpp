#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "stats/reduction.hpp"

namespace fathom::analysis {

/// A quantity in every round of a study, where the round has it. Arithmetic is round by round.
class Rounds {
  public:
    Rounds() = default;
    explicit Rounds(std::vector<std::optional<double>> values) : values_(std::move(values)) {}

    [[nodiscard]] std::vector<double> known() const;
    [[nodiscard]] std::size_t size() const { return values_.size(); }
    [[nodiscard]] const std::optional<double>& at(std::size_t round) const { return values_[round]; }
    /// The median over rounds with its interval by order statistics, which needs 6 rounds. Nothing without a
    /// round.
    [[nodiscard]] std::optional<stats::Reduced> median() const;

    friend Rounds operator+(const Rounds& a, const Rounds& b);
    friend Rounds operator-(const Rounds& a, const Rounds& b);
    /// A round in which `b` is not above 0 has no quotient.
    friend Rounds operator/(const Rounds& a, const Rounds& b);
    friend Rounds operator-(double a, const Rounds& b);
    friend Rounds operator-(const Rounds& a, double b);
    friend Rounds smaller(const Rounds& a, const Rounds& b);

    /// sum(a) / sum(b) over rounds, with Student's interval of a ratio of means. Nothing if b sums to 0.
    friend std::optional<stats::Reduced> ratio_of_sums(const Rounds& a, const Rounds& b);

  private:
    std::vector<std::optional<double>> values_;
};

/// Whether the interval of a figure includes 0, so that it is indistinguishable from noise.
bool includes_none(const stats::Reduced& figure);

/// Whether two figures have intervals that do not touch.
bool disjoint(const stats::Reduced& a, const stats::Reduced& b);

}  // namespace fathom::analysis
