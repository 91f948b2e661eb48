#pragma once

#include <string>

#include "analysis/run/run_result.hpp"
#include "base/error.hpp"

namespace fathom::cli {

/// How a stored run is to be read.
struct Reading {
    analysis::View view = {};
    analysis::Wanted wanted = {};  ///< which points, and who looks at their samples
    bool quiet = false;            ///< no progress on stderr
};

/// A run evaluated with the analyses of its points, since its notes need them.
analysis::RunResult whole_run(const store::Store& store, const store::RunRow& run,
                              const Reading& reading = {});

/// The exit status of a command that has shown what is in a file: bad input if some of that was damaged,
/// which is said on stderr, else `otherwise`.
ExitStatus status_of_reading(const store::Store& store, ExitStatus otherwise = ExitStatus::done);

/// ` --db FILE` if it is not the default one: for hints that can be copied.
std::string db_hint(const std::string& db);

}  // namespace fathom::cli
