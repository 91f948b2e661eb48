#pragma once

#include <functional>

#include "cli/search_runs.hpp"
#include "tune/search/tuning.hpp"

namespace fathom::cli {

/// Leaves out proposals that change the order of operands: calls what is proposed with an operator that does
/// not commute and checks the data. `propose` makes the proposals of other times, which are checked in their
/// turn. False if it was interrupted: nothing is known of the order then.
bool leave_out_unordered(
    SearchRuns& runs, tune::TunedOperation& tuned,
    const std::function<std::vector<tune::Proposal>(const tune::RaceResult& race)>& propose);

}  // namespace fathom::cli
