#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "analysis/curves/scaling.hpp"
#include "report/style.hpp"

namespace fathom::report {

std::string scaling_text(const analysis::Scaling& scaling, const Terminal& terminal);
nlohmann::ordered_json scaling_json(const analysis::Scaling& scaling);

}  // namespace fathom::report
