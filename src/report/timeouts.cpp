#include "report/timeouts.hpp"

#include <nlohmann/json.hpp>

namespace fathom::report {

std::string timeouts_text(const analysis::Timeouts& /*timeouts*/, const Terminal& /*terminal*/) {
    return {};
}

nlohmann::ordered_json timeouts_json(const analysis::Timeouts& /*timeouts*/) {
    return {};
}

}  // namespace fathom::report
