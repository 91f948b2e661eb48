#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "analysis/point/tails.hpp"
#include "report/style.hpp"

namespace fathom::report {

std::string tails_text(const analysis::Tails& tails, const Terminal& terminal);
nlohmann::ordered_json tails_json(const analysis::Tails& tails);

}  // namespace fathom::report
