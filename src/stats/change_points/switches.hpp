#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stats/change_points/local_law.hpp"

namespace fathom::stats {

/// The curve follows one law up to `last_below` and another from `first_above`: a change of protocol or of
/// algorithm.
struct Switch {
    std::int64_t last_below = 0;
    std::int64_t first_above = 0;
    double before = 0;        ///< what the two laws predict at the boundary: half way for a jump,
    double after = 0;         ///< where they meet for a bend
    bool jump = false;        ///< or a bend: another slope, but no step
    double significance = 0;  ///< by how many standard errors the laws disagree
    double slope_before = 0;  ///< time by unit of x
    double slope_after = 0;
};

/// The switches of a curve (sorted by x, no size twice), each between two of its points: where the line
/// through the points below and the line through those above disagree by 2 % of the time and by more than
/// noise and a gentle curvature explain. A bend also needs a slope that changes by half. A bend is said to
/// lie between the nearest points that show it, which may leave out points on both lines.
std::vector<Switch> find_switches(std::span<const CurvePoint> curve);

/// The switch between two laws, from the nearest point of each.
Switch between(const LocalLaw& below, const LocalLaw& above);

/// `switch at 12288 B, 1.8 times slower above`; `switch between 12200 B and 12290 B, 1.3 times faster above`;
/// `bend at 4096 B, 2.0 times steeper above`. "At" names the last size below; neighbours are an element
/// apart.
std::string switch_text(const Switch& found, std::int64_t element = 1);

/// Bisects a switch, to the byte if the noise allows.
class SwitchSearch {
  public:
    /// The curve (sorted by x) and one of the switches found in it. Other switches bound what is looked at.
    SwitchSearch(std::span<const CurvePoint> curve, const Switch& candidate);

    /// The size to measure next; the same again, best with more repetitions, if the last point could not be
    /// told to either side. Nothing when the switch is exact, or when no further size can be told.
    [[nodiscard]] std::optional<std::int64_t> next() const;
    /// A measured point between `last_below` and `first_above`; others are ignored.
    void add(const CurvePoint& point);

    [[nodiscard]] Switch found() const;
    /// Whether the two sizes of the switch are neighbours.
    [[nodiscard]] bool exact() const;

  private:
    enum class Side { below, above, unclear };
    /// Sizes that could not be told to either side, the first to the last.
    struct Range {
        std::int64_t low;
        std::int64_t high;
    };

    [[nodiscard]] Side side_of(const CurvePoint& point) const;
    void give_up_at(std::int64_t x);
    void fit();

    std::vector<CurvePoint> below_;  ///< the nearest to the switch first
    std::vector<CurvePoint> above_;  ///< the nearest to the switch first
    LocalLaw law_below_;
    LocalLaw law_above_;
    std::optional<Range> unclear_;
    int tries_ = 0;  ///< of the size asked for
};

}  // namespace fathom::stats
