#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "analysis/point/explanation.hpp"
#include "report/style.hpp"

namespace fathom::report {

std::string explanation_text(const analysis::Explanation& explanation, const Terminal& terminal);
nlohmann::ordered_json explanation_json(const analysis::Explanation& explanation);

}  // namespace fathom::report
