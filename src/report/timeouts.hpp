#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "analysis/point/timeouts.hpp"
#include "report/style.hpp"

namespace fathom::report {

std::string timeouts_text(const analysis::Timeouts& timeouts, const Terminal& terminal);
nlohmann::ordered_json timeouts_json(const analysis::Timeouts& timeouts);

}  // namespace fathom::report
