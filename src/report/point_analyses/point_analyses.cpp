#include "report/point_analyses/point_analyses.hpp"

#include <array>

#include "journal/json.hpp"

namespace fathom::report {

using nlohmann::ordered_json;

std::span<const PointAnalysis> point_analyses() {
    static constexpr std::array rows{
#define POINT_ANALYSIS(name, option, help) PointAnalysis{option, help, #name, name##_json, name##_text},
#include "report/point_analyses/point_analyses.def"
#undef POINT_ANALYSIS
    };
    return rows;
}

ordered_json analyses_json(const PointSamples& samples, const Choice& chosen) {
    auto fields = ordered_json::object();
    for (const auto& row : point_analyses()) {
        if (samples.repetitions.times.empty() || !chosen(row)) {
            continue;
        }
        if (auto found = row.json(samples); !found.is_null()) {
            fields[row.field] = std::move(found);
        }
    }
    return fields;
}

std::string analyses_text(const PointSamples& samples, const Shown& shown, const Terminal& terminal) {
    std::string text;
    for (const auto& row : point_analyses()) {
        if (!samples.repetitions.times.empty() && shown.chosen(row)) {
            text += row.text(samples, terminal, shown);
        }
    }
    return text.empty() ? text : "\n" + bold(to_text(samples.point.key), terminal) + "\n" + text;
}

}  // namespace fathom::report
