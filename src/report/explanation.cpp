#include "report/explanation.hpp"

#include <nlohmann/json.hpp>

namespace fathom::report {

std::string explanation_text(const analysis::Explanation& /*explanation*/, const Terminal& /*terminal*/) {
    return {};
}

nlohmann::ordered_json explanation_json(const analysis::Explanation& /*explanation*/) {
    return {};
}

}  // namespace fathom::report
