#pragma once

#include "base/error.hpp"
#include "plan/plan.hpp"

namespace fathom::cli {

/// Says what `fathom run` would measure, by which command, and how long it may take. Starts nothing.
ExitStatus dry_run(plan::Plan plan, bool allow_root, bool json);

}  // namespace fathom::cli
