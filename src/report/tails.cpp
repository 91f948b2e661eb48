#include "report/tails.hpp"

#include <nlohmann/json.hpp>

namespace fathom::report {

std::string tails_text(const analysis::Tails& /*tails*/, const Terminal& /*terminal*/) {
    return {};
}

nlohmann::ordered_json tails_json(const analysis::Tails& /*tails*/) {
    return {};
}

}  // namespace fathom::report
