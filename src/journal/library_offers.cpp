#include "journal/library_offers.hpp"

#include "base/text.hpp"
#include "journal/json.hpp"

namespace fathom::journal {
namespace {

constexpr const char* schema = "fathom.algorithms/1";

}  // namespace

std::string offers_line(const plan::OfferedLibrary& library) {
    auto json = nlohmann::json{{"schema", schema},
                               {"version", library.version},
                               {"file", library.file},
                               {"operations", nlohmann::json::object()},
                               {"protocol", nlohmann::json::array()},
                               {"rule_files", library.rule_files}};
    for (const auto& [operation, offer] : library.operations) {
        json["operations"][operation] = {{"algorithms", offer.algorithms},
                                         {"parameters", offer.parameters},
                                         {"numbers", offer.numbers},
                                         {"standard", offer.standard}};
    }
    for (const auto& parameter : library.protocol) {
        json["protocol"].push_back(
            {{"name", parameter.name}, {"standard", parameter.standard}, {"named", parameter.named}});
    }
    return json.dump();
}

std::optional<plan::OfferedLibrary> offers_from(std::string_view output) {
    for (const auto& line : split(output, '\n')) {
        const auto json = nlohmann::json::parse(line, nullptr, false);
        if (!json.is_object() || !json.contains("schema") || json["schema"] != schema) {
            continue;
        }
        plan::OfferedLibrary library;
        try {
            library.version = json.at("version").get<std::string>();
            library.file = json.at("file").get<std::string>();
            for (const auto& [operation, offer] : json.at("operations").items()) {
                library.operations[operation] = {
                    .algorithms = offer.at("algorithms").get<std::vector<std::string>>(),
                    .parameters = offer.at("parameters").get<std::vector<std::string>>(),
                    .numbers = offer.at("numbers").get<std::map<std::string, int, std::less<>>>(),
                    .standard = offer.at("standard").get<std::vector<std::pair<std::string, std::string>>>()};
            }
            for (const auto& parameter : json.at("protocol")) {
                library.protocol.push_back({.name = parameter.at("name").get<std::string>(),
                                            .standard = parameter.at("standard").get<std::string>(),
                                            .named = parameter.at("named").get<std::vector<std::string>>()});
            }
            library.rule_files = json.at("rule_files").get<std::vector<std::string>>();
        } catch (const nlohmann::json::exception&) {
            return std::nullopt;
        }
        return library;
    }
    return std::nullopt;
}

}  // namespace fathom::journal
