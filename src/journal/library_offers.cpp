#include "journal/library_offers.hpp"

#include "base/text.hpp"
#include "journal/json.hpp"

namespace fathom::journal {
namespace {

constexpr const char* schema = "fathom.algorithms/1";

}  // namespace

std::string offers_line(const plan::LibraryOffers& offers) {
    auto json = nlohmann::json{{"schema", schema}, {"operations", nlohmann::json::object()}};
    for (const auto& [operation, offer] : offers) {
        json["operations"][operation] = {{"algorithms", offer.algorithms}, {"parameters", offer.parameters}};
    }
    return json.dump();
}

std::optional<plan::LibraryOffers> offers_from(std::string_view output) {
    for (const auto& line : split(output, '\n')) {
        const auto json = nlohmann::json::parse(line, nullptr, false);
        if (!json.is_object() || !json.contains("schema") || json["schema"] != schema) {
            continue;
        }
        plan::LibraryOffers offers;
        try {
            for (const auto& [operation, offer] : json.at("operations").items()) {
                offers[operation] = {.algorithms = offer.at("algorithms").get<std::vector<std::string>>(),
                                     .parameters = offer.at("parameters").get<std::vector<std::string>>()};
            }
        } catch (const nlohmann::json::exception&) {
            return std::nullopt;
        }
        return offers;
    }
    return std::nullopt;
}

}  // namespace fathom::journal
