#include "report/schemes_text.hpp"

#include <fmt/format.h>

#include "journal/json.hpp"
#include "plan/operations.hpp"
#include "plan/schemes.hpp"
#include "report/point_key.hpp"
#include "report/table.hpp"

namespace fathom::report {

using nlohmann::ordered_json;

std::string schemes_text(const std::vector<analysis::SchemeComparison>& comparisons,
                         const Terminal& terminal) {
    using Align = Table::Align;
    std::string text;
    for (const auto& comparison : comparisons) {
        text += "\n" + to_text(comparison.key) + "\n";
        Table table({{"scheme", Align::left},
                     {"reports", Align::right},
                     {"of fathom's", Align::right},
                     {"skew", Align::right},
                     {"because of", Align::left}});
        const auto skew = [](const std::optional<double>& value) {
            return value ? time_text(*value) : std::string("-");
        };
        table.add({std::string(plan::own_scheme), time_text(comparison.own_ns.value), "1.00",
                   skew(comparison.own_skew_median_ns),
                   "(slowest rank, median of single calls started together)"});
        for (const auto& scheme : comparison.schemes) {
            table.add({scheme.scheme, time_text(scheme.value_ns.value),
                       comparison.own_ns.value > 0
                           ? fmt::format("{:.2f}", scheme.value_ns.value / comparison.own_ns.value)
                           : std::string("-"),
                       skew(scheme.start_skew_median_ns),
                       analysis::effects_text(scheme, comparison.own_ns.value)});
        }
        text += table.text(terminal);
    }
    return text;
}

ordered_json schemes_json(const std::vector<analysis::SchemeComparison>& comparisons) {
    auto json = ordered_json::array();
    for (const auto& comparison : comparisons) {
        auto point = with_key(comparison.key,
                              {{"own_ns", comparison.own_ns.value}, {"schemes", ordered_json::array()}});
        point.erase("scheme");  // those are listed below
        for (const auto& scheme : comparison.schemes) {
            ordered_json row{{"scheme", scheme.scheme},
                             {"benchmark", plan::find_scheme(scheme.scheme).benchmark},
                             {"value_ns", scheme.value_ns.value},
                             {"ratio", scheme.value_ns.value / comparison.own_ns.value},
                             {"effects", ordered_json::array()}};
            for (const auto& effect : scheme.effects) {
                row["effects"].push_back({{"effect", effect.name},
                                          {"change_ns", effect.change_ns},
                                          {"unsure_ns", effect.unsure_ns},
                                          {"seen", effect.seen()}});
            }
            point["schemes"].push_back(std::move(row));
        }
        json.push_back(std::move(point));
    }
    return json;
}

}  // namespace fathom::report
