#pragma once

#include <set>

#include "cli/search_runs.hpp"
#include "tune/search/race.hpp"
#include "tune/search/tuning.hpp"

namespace fathom::cli {

/// The points of what is proposed for a reduction that give the right results for an operator that does not
/// commute: each is called with one, and its data are checked.
std::set<tune::RacePoint> sizes_in_order(SearchRuns& runs, const tune::TunedOperation& tuned);

}  // namespace fathom::cli
