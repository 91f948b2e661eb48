#pragma once

#include <map>
#include <string>

#include "analysis/run/run_result.hpp"
#include "journal/json.hpp"
#include "store/store.hpp"

namespace fathom::report {

/// Further fields of points, by their positions.
using PointFields = std::map<int, nlohmann::ordered_json>;

/// A run as `fathom.run/1`.
nlohmann::ordered_json run_json(const store::Store& store, const analysis::RunResult& result,
                                const PointFields& more = {});

/// By how much runs differ, and how that is known.
nlohmann::ordered_json between_runs_json(const analysis::BetweenRuns& between_runs);

/// How many launches of a point count, of those that were made.
nlohmann::ordered_json launches_json(const analysis::LaunchCounts& counts);

/// A warning as scripts see it.
nlohmann::ordered_json warning_json(const store::WarningRow& warning);

/// The text of a document, indented, ending in a newline; invalid UTF-8 is replaced, and what a terminal
/// would obey is escaped.
std::string document(const nlohmann::ordered_json& json);

/// The same on one line, without a newline.
std::string document_line(const nlohmann::ordered_json& json);

}  // namespace fathom::report
