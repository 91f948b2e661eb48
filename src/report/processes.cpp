#include "report/processes.hpp"

#include <nlohmann/json.hpp>

namespace fathom::report {

std::string processes_text(const analysis::Processes& /*processes*/, const Terminal& /*terminal*/) {
    return {};
}

nlohmann::ordered_json processes_json(const analysis::Processes& /*processes*/) {
    return {};
}

}  // namespace fathom::report
