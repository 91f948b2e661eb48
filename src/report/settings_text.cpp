#include "report/settings_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/printable.hpp"
#include "base/units.hpp"
#include "journal/json.hpp"
#include "report/json_values.hpp"
#include "report/point_key.hpp"
#include "report/sentences/settings.hpp"
#include "report/table.hpp"

namespace fathom::report {

using analysis::SettingComparison;
using analysis::SettingVerdict;
using nlohmann::ordered_json;

std::string settings_text(const std::vector<SettingComparison>& comparisons, const Terminal& terminal) {
    if (comparisons.empty()) {
        return {};
    }
    using Align = Table::Align;
    const KeyColumns<analysis::PointKey> keys(
        comparisons, [](const auto& comparison) -> const auto& { return comparison.key; });
    auto columns = keys.titles();
    for (const auto& setting : comparisons.front().settings) {
        columns.push_back({fmt::format("{}  ", fmt::join(setting.values, ", ")), Align::right});
    }
    columns.push_back({"worst/best", Align::right});
    columns.push_back({"best", Align::left, 0, true});
    const auto titles = columns;
    Table table(std::move(columns));
    bool any_best = false;
    for (const auto& comparison : comparisons) {
        auto cells = keys.cells(comparison.key);
        const auto first = cells.size();
        const auto& fastest = comparison.settings[comparison.fastest].value_ns;
        const TimesBeside times(fastest ? fastest->value : 0);
        for (std::size_t i = 0; i < comparison.settings.size(); ++i) {
            const auto& setting = comparison.settings[i];
            const bool best = comparison.verdict == SettingVerdict::best && i == comparison.fastest;
            any_best = any_best || best;
            const auto time = setting.value_ns ? times.text(setting.value_ns->value) : "-";
            cells.push_back(marked(time, setting.quality) + (best ? " *" : "  "));
        }
        cells.push_back(comparison.verdict == SettingVerdict::not_measured
                            ? "-"
                            : fmt::format("{:.2f}", comparison.ratio()));
        cells.push_back(conclusion(comparison));
        table.add(std::move(cells));
        if (comparison.verdict == SettingVerdict::best) {
            table.paint(titles[first + comparison.fastest].title, Ink::bold);
        }
    }
    return fmt::format(
        "\nSettings compared: {}\n{}{}",
        printable(fmt::format("{}", fmt::join(comparisons.front().names, ", "))), table.text(terminal),
        any_best ? "* faster than every other, tested over the launches of this run (95 %)\n" : "");
}

ordered_json settings_json(const std::vector<SettingComparison>& comparisons) {
    auto json = ordered_json::array();
    for (const auto& comparison : comparisons) {
        auto point = with_key(comparison.key, {{"verdict", comparison.verdict},
                                               {"best", nullptr},
                                               {"next", nullptr},
                                               {"worst", nullptr},
                                               {"ratio", nullptr},
                                               {"p_next", nullptr},
                                               {"p_worst", nullptr},
                                               {"text", conclusion(comparison)},
                                               {"settings", ordered_json::array()}});
        point.erase("setting");  // those are listed below
        if (comparison.verdict != SettingVerdict::not_measured) {
            point["best"] = comparison.settings[comparison.fastest].setting;
            point["next"] = comparison.settings[comparison.next].setting;
            point["worst"] = comparison.settings[comparison.slowest].setting;
            point["ratio"] = comparison.ratio();
            point["p_next"] = comparison.p_next;
            point["p_worst"] = comparison.p_slowest;
        }
        for (const auto& setting : comparison.settings) {
            ordered_json row{{"setting", setting.setting}};
            for (std::size_t i = 0; i < comparison.names.size(); ++i) {
                row["values"][comparison.names[i]] = setting.values[i];
            }
            row["value_ns"] =
                setting.value_ns ? ordered_json(setting.value_ns->value) : ordered_json(nullptr);
            row["within_run_ci95_ns"] = or_null(setting.value_ns ? setting.value_ns->ci95 : std::nullopt);
            row["starts_ns"] = setting.launches_ns;
            row["quality"] = setting.quality;
            point["settings"].push_back(std::move(row));
        }
        json.push_back(std::move(point));
    }
    return json;
}

}  // namespace fathom::report
