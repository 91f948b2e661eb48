#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "analysis/point/distribution.hpp"
#include "report/style.hpp"

namespace fathom::report {

std::string distribution_text(const analysis::Distribution& distribution, const Terminal& terminal);
nlohmann::ordered_json distribution_json(const analysis::Distribution& distribution);

}  // namespace fathom::report
