#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "analysis/run/setting_comparison.hpp"
#include "report/style.hpp"

namespace fathom::report {

/// A row for each point with a column for each combination of varied settings, the fastest marked where the
/// difference is significant. Empty if there is none.
std::string settings_text(const std::vector<analysis::SettingComparison>& comparisons,
                          const Terminal& terminal);
nlohmann::ordered_json settings_json(const std::vector<analysis::SettingComparison>& comparisons);

}  // namespace fathom::report
