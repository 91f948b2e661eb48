#pragma once

#include <string>

#include "analysis/run/run_result.hpp"
#include "report/style.hpp"

namespace fathom::cli {

/// How a stored run is to be read.
struct Reading {
    analysis::View view = {};
    analysis::Asked asked = {};  ///< analyses to keep
    bool quiet = false;          ///< no progress on stderr
};

/// A run with what matters most in it, which all analyses together tell, and with those that were asked for.
analysis::RunResult whole_run(const store::Store& store, const store::RunRow& run,
                              const Reading& reading = {});

/// A run for people: what it was, its table, what to know about it.
std::string run_text(const store::Store& store, const analysis::RunResult& result,
                     const report::Terminal& terminal);

/// ` --db FILE` if it is not the default one: for hints that can be copied.
std::string db_hint(const std::string& db);

}  // namespace fathom::cli
