#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "analysis/across_runs/comparison.hpp"

namespace fathom::analysis {

/// Where a size lies, over several curves.
struct SizeSpan {
    Bytes least;
    Bytes most;

    friend bool operator==(const SizeSpan&, const SizeSpan&) = default;
};

/// Neighbouring sizes with the same verdict. Undecided sizes among them do not end a range, and are not its
/// ends.
struct ChangeRange {
    Change change = Change::same;  ///< slower, faster or same
    SizeSpan from;                 ///< the first size with this verdict, over the curves
    SizeSpan to;                   ///< the last one
    bool from_smallest = false;    ///< it begins at the smallest size of every curve
    bool to_largest = false;

    friend bool operator==(const ChangeRange&, const ChangeRange&) = default;
};

/// Curves over sizes that changed in the same way.
struct ChangedCurves {
    std::vector<PointKey> curves;     ///< of no size
    std::vector<ChangeRange> ranges;  ///< by size; none if nothing is decided or there is no order in it
    std::size_t sizes = 0;            ///< that any of them has
    std::size_t slower = 0;           ///< points
    std::size_t faster = 0;
    std::size_t same = 0;
    std::vector<PointKey> undecided;  ///< points

    [[nodiscard]] std::size_t points() const { return slower + faster + same + undecided.size(); }
};

/// A comparison in short: which curves changed in the same way, and the largest changes.
struct ChangeBySize {
    std::vector<ChangedCurves> groups;     ///< those that became slower or faster first, undecided ones last
    std::vector<PointKey> curves;          ///< all, of no size
    std::optional<ComparedPoint> slowest;  ///< of the points that are slower, that with the largest ratio
    std::optional<ComparedPoint> fastest;  ///< of those that are faster, that with the smallest
};

/// Curves belong together if their verdicts follow each other in the same order over sizes and agree at every
/// size at which both are decided; where that leaves too many groups, if they follow in the same order.
ChangeBySize change_by_size(const Comparison& comparison);

}  // namespace fathom::analysis
