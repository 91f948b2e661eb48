#include "report/protocol.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/build_info.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "report/paragraph.hpp"
#include "report/table.hpp"
#include "report/tuning.hpp"
#include "tune/files/library_files.hpp"

namespace fathom::report {
namespace {

using nlohmann::ordered_json;
using tune::ProofPoint;
using Align = Table::Align;

/// Sizes by operation: `pingpong 8 KiB, 16 KiB (1.19)`, with the gain that is farthest from 1.
std::string where(const std::vector<ProofPoint>& points) {
    struct Place {
        std::vector<std::string> sizes;
        double gain = 1;
    };
    std::map<std::string, Place> places;
    for (const auto& point : points) {
        auto& place = places[point.operation];
        place.sizes.push_back(exact_text(point.size));
        const bool farther = point.gain() < 1 ? point.gain() < place.gain : point.gain() > place.gain;
        place.gain = farther ? point.gain() : place.gain;
    }
    std::vector<std::string> parts;
    for (const auto& [operation, place] : places) {
        parts.push_back(fmt::format("{} {} ({:.2f})", operation,
                                    place.sizes.size() < 3
                                        ? fmt::format("{}", fmt::join(place.sizes, ", "))
                                        : fmt::format("{} .. {}", place.sizes.front(), place.sizes.back()),
                                    place.gain));
    }
    return parts.empty() ? "-" : fmt::format("{}", fmt::join(parts, "; "));
}

bool is_proposed(const tune::ProtocolTuning& tuning, const std::string& variable, const std::string& value) {
    return std::ranges::find(tuning.proposed, std::pair(variable, value)) != tuning.proposed.end();
}

Table values_table(const tune::ProtocolTuning& tuning) {
    Table table({{"parameter", Align::left},
                 {"value", Align::right},
                 {"faster at", Align::left},
                 {"slower at", Align::left},
                 {"verdict", Align::left},
                 {"use", Align::left}});
    for (const auto& parameter : tuning.parameters) {
        table.add({printable(parameter.variable), printable(parameter.standard), "-", "-",
                   "the library's own", "-"});
        for (const auto& value : parameter.values) {
            table.add({"", printable(value.value), where(value.faster()), where(value.slower()),
                       value.points.empty() ? "ended the job" : std::string(to_text(value.verdict())),
                       is_proposed(tuning, parameter.variable, value.value) ? "yes" : "-"});
        }
    }
    return table;
}

std::string all_times(const tune::ProtocolTuning& tuning, const Terminal& terminal) {
    std::string text;
    for (const auto& parameter : tuning.parameters) {
        for (const auto& value : parameter.values) {
            text += fmt::format("\n{}={}\n\n{}", printable(parameter.variable), printable(value.value),
                                proof_text(value.points, terminal));
        }
    }
    return text;
}

ordered_json points_json(const std::vector<ProofPoint>& points) {
    auto json = ordered_json::array();
    for (const auto& point : points) {
        json.push_back(proof_point_json(point));
    }
    return json;
}

ordered_json settings_json(const std::vector<std::pair<std::string, std::string>>& settings) {
    auto json = ordered_json::object();
    for (const auto& [variable, value] : settings) {
        json[variable] = value;
    }
    return json;
}

}  // namespace

std::string protocol_text(const tune::ProtocolTuning& tuning, const Terminal& terminal, bool all) {
    auto text =
        fmt::format("{}, {} processes on {} {}\n\n{}", tune::short_version(tuning.library), tuning.procs,
                    tuning.hosts, tuning.hosts == 1 ? "host" : "hosts", values_table(tuning).text(terminal));
    if (all) {
        text += all_times(tuning, terminal);
    }
    text += "\n";
    if (!tuning.left_out.empty()) {
        text += paragraph(
            fmt::format("Not tried, since all processes are on one host: {}.", and_list(tuning.left_out)));
    }
    for (const auto& [variable, value] : tuning.taken_out) {
        text += paragraph(fmt::format("Taken out, because with it and the others a size was slower: {}={}.",
                                      variable, value));
    }
    for (const auto& [variable, value] : tuning.unproven) {
        text += paragraph(fmt::format("Better by itself, but not proven together with the others: {}={}.",
                                      variable, value));
    }
    if (tuning.proposed.empty() && !tuning.unproven.empty()) {
        return text;
    }
    if (tuning.proposed.empty()) {
        return text + paragraph(
                          "Nothing to propose: no value is certainly faster by 3 % at some sizes without "
                          "being slower by 2 % at others.");
    }
    text += "\nWith all that is proposed and without, in fresh jobs\n\n" + proof_text(tuning.proof, terminal);
    text += "\nFor a job script:\n";
    for (const auto& [variable, value] : tuning.proposed) {
        text += fmt::format("  export {}={}\n", printable(variable), printable(shell_text({value})));
    }
    return text;
}

ordered_json protocol_json(const tune::ProtocolTuning& tuning) {
    ordered_json json{{"schema", "fathom.protocol/1"},
                      {"fathom", build_info().version},
                      {"library", tuning.library},
                      {"flavour", to_text(tuning.flavour)},
                      {"procs", tuning.procs},
                      {"hosts", tuning.hosts},
                      {"metric", tuning.metric},
                      {"parameters", ordered_json::array()},
                      {"left_out", tuning.left_out},
                      {"proposed", settings_json(tuning.proposed)},
                      {"taken_out", settings_json(tuning.taken_out)},
                      {"unproven", settings_json(tuning.unproven)},
                      {"proof", points_json(tuning.proof)}};
    for (const auto& parameter : tuning.parameters) {
        auto values = ordered_json::array();
        for (const auto& value : parameter.values) {
            values.push_back({{"value", value.value},
                              {"verdict", to_text(value.verdict())},
                              {"mean_speedup", value.mean_gain()},
                              {"points", points_json(value.points)}});
        }
        json["parameters"].push_back(
            {{"variable", parameter.variable},
             {"standard",
              parameter.standard.empty() ? ordered_json(nullptr) : ordered_json(parameter.standard)},
             {"values", std::move(values)}});
    }
    return json;
}

}  // namespace fathom::report
