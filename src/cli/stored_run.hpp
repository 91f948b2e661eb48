#pragma once

#include <functional>
#include <string>

#include "analysis/run/run_result.hpp"

namespace fathom::cli {

/// How a stored run is to be read.
struct Reading {
    analysis::View view = {};
    analysis::Asked asked = {};                                  ///< analyses to keep
    std::function<bool(const plan::PointKey& key)> select = {};  ///< which points; empty: all
    bool quiet = false;                                          ///< no progress on stderr
};

/// A run evaluated with all analyses, since its notes need them; those that were not asked for are dropped.
analysis::RunResult whole_run(const store::Store& store, const store::RunRow& run,
                              const Reading& reading = {});

/// ` --db FILE` if it is not the default one: for hints that can be copied.
std::string db_hint(const std::string& db);

}  // namespace fathom::cli
