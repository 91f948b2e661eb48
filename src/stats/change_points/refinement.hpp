#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

namespace fathom::stats {

/// Where to measure a curve of time against size next, so that few points describe it well: SKaMPI's adaptive
/// refinement. A segment between neighbours is as wrong as its neighbours fail to predict its ends, and no
/// more wrong than it is wide: min(|d1| / tb, |d2| / tc, (c - b) / b) for b..c, d1 and d2 being the errors of
/// the segment to the right at b and of the one to the left at c. The worst segment is split at its
/// geometric middle. Errors that noise explains do not count: on a real machine the search would chase it.
class Refinement {
  public:
    /// Until the largest error is below epsilon or there are so many points.
    Refinement(double epsilon, std::size_t most_points);

    /// A measured point, in any order; a second time at the same place replaces the first. x is not negative.
    void add(std::int64_t x, double t, double standard_error = 0);
    /// x cannot be measured: no segment is split there.
    void skip(std::int64_t x);

    /// The place to measure next. Nothing where it is good enough, where no segment can be split, or below
    /// three points, which allow no estimate.
    [[nodiscard]] std::optional<std::int64_t> next() const;
    /// Of all segments that leave out a size. 0 below three points.
    [[nodiscard]] double largest_error() const;
    /// The segment with that error; nothing if none leaves out a size.
    struct Worst {
        double error = 0;
        std::int64_t low = 0;
        std::int64_t high = 0;
    };
    [[nodiscard]] std::optional<Worst> worst() const;
    /// Time by size.
    [[nodiscard]] const std::map<std::int64_t, double>& points() const { return points_; }

  private:
    using Point = std::map<std::int64_t, double>::const_iterator;
    /// Worst first; among equals the one of the smallest sizes.
    struct Segment {
        double error;
        std::int64_t low;
        std::int64_t high;
        bool operator<(const Segment& other) const {
            return error != other.error ? error > other.error : low < other.low;
        }
    };

    [[nodiscard]] double error_of(Point b) const;
    [[nodiscard]] double share_off(Point from, Point to, Point at) const;
    void forget(std::int64_t low);
    void estimate(Point b);
    void estimate_around(Point added);

    double epsilon_;
    std::size_t most_points_;
    std::map<std::int64_t, double> points_;
    std::map<std::int64_t, double> standard_errors_;
    std::set<std::int64_t> skipped_;
    std::set<Segment> queue_;
    std::map<std::int64_t, Segment> segments_;  ///< as in the queue, by their lower end
};

}  // namespace fathom::stats
