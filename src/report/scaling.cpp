#include "report/scaling.hpp"

#include <cmath>

#include <fmt/format.h>

#include "journal/json.hpp"
#include "report/point_key.hpp"
#include "report/sentences/curves.hpp"
#include "report/table.hpp"

namespace fathom::report {
namespace {

using nlohmann::ordered_json;
using Align = Table::Align;

ordered_json known(const std::optional<double>& value) {
    return value ? ordered_json(*value) : ordered_json(nullptr);
}

std::string sizes_table(const analysis::Scaling& scaling, const Terminal& terminal) {
    const KeyColumns<plan::PointKey> keys(
        scaling.sizes, [](const auto& curve) -> const auto& { return curve.key; });
    auto columns = keys.titles();
    columns.pop_back();  // a curve has no size
    for (const auto* title : {"best rate", "at", "large messages", "half of it at", "line from"}) {
        columns.push_back({title, Align::right});
    }
    Table table(columns);
    for (const auto& curve : scaling.sizes) {
        auto cells = keys.cells(curve.key);
        cells.pop_back();
        const auto& rate = curve.asymptotic_rate_bytes_per_s;
        for (auto& cell : std::vector<std::string>{
                 rate_text(curve.best_rate_bytes_per_s), to_text(curve.best_at),
                 rate ? rate_text(*rate) : "-",
                 curve.half_bytes ? to_text(Bytes{std::llround(*curve.half_bytes)}) : "-",
                 rate ? to_text(curve.fitted_from) : "-"}) {
            cells.push_back(std::move(cell));
        }
        table.add(std::move(cells));
    }
    return table.text(terminal);
}

}  // namespace

std::string scaling_text(const analysis::Scaling& scaling, const Terminal& terminal) {
    std::string text = "\n" + bold("Scaling", terminal) + "\n";
    if (!scaling.sizes.empty()) {
        text += sizes_table(scaling, terminal);
    }
    text += "\n" + bold("Anomalies", terminal) + "\n";
    for (const auto& anomaly : scaling.anomalies) {
        text += fmt::format("  {}\n", sentence(anomaly));
    }
    if (scaling.anomalies.empty()) {
        const auto curves = scaling.curves_looked_at.size();
        text += fmt::format("  none in {} {}\n", curves, curves == 1 ? "curve" : "curves");
    }
    text += "\n" + bold("Performance guidelines", terminal) + "\n";
    for (const auto& violation : scaling.violations) {
        text += fmt::format("  {}\n", sentence(violation));
    }
    if (scaling.guidelines_checked.empty()) {
        text +=
            "  none could be checked: they need several operations at matching sizes, such as bcast, scatter "
            "and allgather\n";
    } else {
        text += fmt::format("  {} of {} that could be checked hold\n",
                            scaling.guidelines_checked.size() - scaling.violations.size(),
                            scaling.guidelines_checked.size());
    }
    return text;
}

ordered_json scaling_json(const analysis::Scaling& scaling) {
    ordered_json json;
    json["sizes"] = ordered_json::array();
    for (const auto& curve : scaling.sizes) {
        const bool line = curve.asymptotic_rate_bytes_per_s.has_value();
        json["sizes"].push_back(with_curve_key(
            curve.key,
            {{"best_rate_bytes_per_s", curve.best_rate_bytes_per_s},
             {"best_at_bytes", curve.best_at.count},
             {"asymptotic_rate_bytes_per_s", known(curve.asymptotic_rate_bytes_per_s)},
             {"half_performance_bytes", known(curve.half_bytes)},
             {"start_ns", known(curve.start_ns)},
             {"fitted_from_bytes", line ? ordered_json(curve.fitted_from.count) : ordered_json(nullptr)},
             {"fitted_to_bytes", line ? ordered_json(curve.fitted_to.count) : ordered_json(nullptr)},
             {"text", sentence(curve)}}));
    }
    json["anomalies"] = ordered_json::array();
    for (const auto& anomaly : scaling.anomalies) {
        json["anomalies"].push_back(with_key(anomaly.key, {{"kind", anomaly.kind},
                                                           {"other_procs", anomaly.other.procs},
                                                           {"other_size_bytes", anomaly.other.size.count},
                                                           {"time_ns", anomaly.time_ns},
                                                           {"other_ns", anomaly.other_ns},
                                                           {"factor", anomaly.factor},
                                                           {"p_value", anomaly.p_value},
                                                           {"text", sentence(anomaly)}}));
    }
    json["guidelines_checked"] = scaling.guidelines_checked.size();
    json["violations"] = ordered_json::array();
    for (const auto& violation : scaling.violations) {
        json["violations"].push_back(with_key(violation.key, {{"guideline", violation.guideline},
                                                              {"time_ns", violation.time_ns},
                                                              {"bound_ns", violation.bound_ns},
                                                              {"factor", violation.factor},
                                                              {"p_value", violation.p_value},
                                                              {"text", sentence(violation)}}));
    }
    return json;
}

}  // namespace fathom::report
