#pragma once

#include <string>

#include "base/error.hpp"
#include "plan/plan.hpp"

namespace fathom::cli {

/// What a measurement needs beyond its plan.
struct MeasureOptions {
    std::string command_line;
    std::string db;
    bool json = false;
    bool quiet = false;
    bool allow_root = false;
};

/// Measures a plan as a new run, prints it, and says how it ended.
ExitStatus new_run(plan::Plan plan, const MeasureOptions& options);

/// Continues a stored run: points not yet measured first, those that killed the job last.
ExitStatus resume_run(const std::string& name, const MeasureOptions& options);

/// Stores the journal of a probe that was started by hand as a new run.
ExitStatus collect_journal(const std::string& journal, const MeasureOptions& options);

}  // namespace fathom::cli
