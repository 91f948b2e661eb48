#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "analysis/run/run_result.hpp"
#include "store/store.hpp"

namespace fathom::report {

/// A run as `fathom.run/1`.
nlohmann::ordered_json run_json(const store::Store& store, const analysis::RunResult& result);

/// A warning as scripts see it.
nlohmann::ordered_json warning_json(const store::WarningRow& warning);

/// The text of a document, indented, ending in a newline; invalid UTF-8 is replaced.
std::string document(const nlohmann::ordered_json& json);

}  // namespace fathom::report
