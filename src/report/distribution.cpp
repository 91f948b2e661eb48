#include "report/distribution.hpp"

#include <nlohmann/json.hpp>

namespace fathom::report {

std::string distribution_text(const analysis::Distribution& /*distribution*/, const Terminal& /*terminal*/) {
    return {};
}

nlohmann::ordered_json distribution_json(const analysis::Distribution& /*distribution*/) {
    return {};
}

}  // namespace fathom::report
