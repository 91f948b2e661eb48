#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stats/summary.hpp"
#include "store/store.hpp"

namespace fathom::analysis {

/// A result of a point besides its time: a rate, a share, a ratio.
struct Measure {
    std::string name;  ///< for scripts, with its unit: `pieces_per_s`
    double value = 0;
    std::optional<stats::Interval> ci95;
    std::string text;  ///< for people: `83 % of the time the master was busy`
};

/// The measures derived from what an operation counted on its ranks.
std::vector<Measure> measures_of(const store::Store& store, const store::PointRow& point);

}  // namespace fathom::analysis
