#pragma once

#include "plan/plan.hpp"

namespace fathom::launch {

/// Takes the content of the tree files that a plan names into it, unless it holds them already, and checks
/// that each is a tree for the processes of every point. `procs` is what is started. Throws BadInput that
/// names the file, the line and the fix.
void settle_trees(plan::Plan& plan, int procs, bool simulated);

/// Fills in the thread level if the plan leaves it open, or if it was filled in before, as in a stored plan:
/// the lowest with which its trees can be performed. Throws BadInput if a level that it names is too low, or
/// for levels in simulation. Needs the trees.
void settle_thread_level(plan::Plan& plan, bool simulated);

}  // namespace fathom::launch
