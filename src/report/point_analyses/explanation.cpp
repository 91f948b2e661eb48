#include <algorithm>

#include <fmt/format.h>

#include "base/printable.hpp"
#include "base/units.hpp"
#include "journal/json.hpp"
#include "report/point_analyses/point_analyses.hpp"
#include "report/sentences/point.hpp"

namespace fathom::report {

using nlohmann::ordered_json;

namespace {

/// Timeouts explain slow repetitions too; where they were asked for, they are there already.
std::string timeouts_before(const PointSamples& samples, const Terminal& terminal, const Choice& chosen) {
    const auto rows = point_analyses();
    const bool there = chosen && std::any_of(rows.begin(), rows.end(), [&](const PointAnalysis& row) {
                           return row.text == timeouts_text && chosen(row);
                       });
    const auto status = samples.point.analyses.timeouts.status;
    const bool any = status == analysis::TimeoutStatus::found || status == analysis::TimeoutStatus::unclear;
    return any && !there ? timeouts_text(samples, terminal) : "";
}

}  // namespace

std::string explanation_text(const PointSamples& samples, const Terminal& terminal, const Shown& shown) {
    const auto& explanation = samples.point.analyses.explanation;
    std::string text = timeouts_before(samples, terminal, shown.chosen);
    if (explanation.causes.empty()) {
        text += "  " + printable(conclusion(explanation)) + "\n";
    }
    for (const auto& cause : explanation.causes) {
        text +=
            fmt::format("  {}{}.\n", printable(sentence(cause, explanation.slow, explanation.threshold_ns)),
                        cause.expected > 0 ? fmt::format(" (by chance: {:.1f})", cause.expected) : "");
    }
    if (!explanation.causes.empty()) {
        text += fmt::format("  {}{} unexplained.\n",
                            explanation.small > 0
                                ? count_text(explanation.small) +
                                      " coincide with ordinary system activity, too little to matter; "
                                : "",
                            count_text(explanation.unexplained));
    }
    if (explanation.counted) {
        text +=
            fmt::format("  Reading counters took {} each, {:.2g} % of the time, and none of it was timed.\n",
                        time_text(explanation.cost_per_reading_ns), 100 * explanation.cost_share);
    }
    return text;
}

ordered_json explanation_json(const PointSamples& samples) {
    const auto& explanation = samples.point.analyses.explanation;
    auto causes = ordered_json::array();
    for (const auto& cause : explanation.causes) {
        causes.push_back({{"kind", cause.kind},
                          {"where", place_text(cause)},
                          {"reps", cause.reps},
                          {"events", cause.events},
                          {"lost_ns", cause.lost_ns},
                          {"expected_by_chance", cause.expected},
                          {"text", sentence(cause, explanation.slow, explanation.threshold_ns)}});
    }
    const auto if_counted = [&](double value) {
        return explanation.counted ? ordered_json(value) : ordered_json(nullptr);
    };
    return {{"counted", explanation.counted},
            {"slow_reps", explanation.slow},
            {"threshold_ns", explanation.threshold_ns},
            {"causes", std::move(causes)},
            {"small_reps", explanation.small},
            {"unexplained_reps", explanation.unexplained},
            {"cost_per_reading_ns", if_counted(explanation.cost_per_reading_ns)},
            {"cost_share", if_counted(explanation.cost_share)},
            {"text", conclusion(explanation)}};
}

}  // namespace fathom::report
