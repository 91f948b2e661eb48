#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "analysis/point/processes.hpp"
#include "report/style.hpp"

namespace fathom::report {

std::string processes_text(const analysis::Processes& processes, const Terminal& terminal);
nlohmann::ordered_json processes_json(const analysis::Processes& processes);

}  // namespace fathom::report
