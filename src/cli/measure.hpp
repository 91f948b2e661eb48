#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/command_line.hpp"
#include "plan/plan.hpp"
#include "store/store.hpp"

namespace fathom::cli {

/// What a measurement needs beyond its plan.
struct MeasureOptions {
    std::string command_line;
    std::string db;
    bool json = false;
    bool quiet = false;
    bool verbose = false;  ///< progress has a line for every point, also where it is no bar
    bool wide = false;     ///< tables with all columns
    bool plot = false;     ///< curves below the table
    bool allow_root = false;
    bool trust_file = false;  ///< use what a stored run names, whoever made it
};

/// --quiet and --verbose.
std::vector<Option> add_progress_options(const Command& command, MeasureOptions& options);

/// Prints what was measured, complete or not, to stdout.
using PrintRun = std::function<void(const store::Store& store, const store::RunRow& run)>;

/// Measures a plan as a new run, prints it (as a table, or by `print`), and says how it ended.
ExitStatus new_run(plan::Plan plan, const MeasureOptions& options, const PrintRun& print = {});

/// Continues a stored run: points not yet measured first, those that killed the job last.
ExitStatus resume_run(const std::string& name, const MeasureOptions& options);

/// Stores the journal of a probe that was started by hand as a new run.
ExitStatus collect_journal(const std::string& journal, const MeasureOptions& options);

}  // namespace fathom::cli
