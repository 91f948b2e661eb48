#pragma once

#include <set>

#include "cli/search_runs.hpp"
#include "tune/search/race.hpp"
#include "tune/search/tuning.hpp"

namespace fathom::cli {

/// What ways of a reduction do with an operator that does not commute.
struct OrderOf {
    std::set<tune::RacePoint> kept;     ///< the order of its operands: results are right
    std::set<tune::RacePoint> changed;  ///< results are wrong
};

/// Calls each with such an operator and checks the data. What could not be measured is in neither.
OrderOf order_of(SearchRuns& runs, const tune::TunedOperation& tuned, const std::set<tune::RacePoint>& asked,
                 int attempt);

}  // namespace fathom::cli
