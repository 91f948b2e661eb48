#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stats/summary.hpp"
#include "store/store.hpp"

namespace fathom::analysis {

/// What a point tells besides its time: a rate, a share, a ratio.
struct Measure {
    std::string name;  ///< for scripts, with its unit: `pieces_per_s`
    double value = 0;
    std::optional<stats::Interval> ci95;
    std::string text;  ///< for people: `83 % of the time the master was busy`
};

/// What the operation of a point counted on its ranks comes to.
std::vector<Measure> measures_of(const store::Store& store, const store::PointRow& point);

}  // namespace fathom::analysis
