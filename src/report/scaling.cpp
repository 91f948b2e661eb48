#include "report/scaling.hpp"

#include <nlohmann/json.hpp>

namespace fathom::report {

std::string scaling_text(const analysis::Scaling& /*scaling*/, const Terminal& /*terminal*/) {
    return {};
}

nlohmann::ordered_json scaling_json(const analysis::Scaling& /*scaling*/) {
    return {};
}

}  // namespace fathom::report
