#include <vector>

#include <fmt/format.h>

#include "base/units.hpp"
#include "journal/json.hpp"
#include "report/paragraph.hpp"
#include "report/point_analyses/point_analyses.hpp"
#include "report/sentences/point.hpp"
#include "report/table.hpp"

namespace fathom::report {
namespace {

using Align = Table::Align;
using nlohmann::ordered_json;

std::string percent(double share) {
    return fmt::format("{:.2f} %", 100 * share);
}

/// A share a row, from below the first of the limits to from the last on.
std::string shares_table(const std::string& title, const std::vector<double>& shares, int first_limit,
                         const char* limit_text, const Terminal& terminal) {
    Table table({{"  " + title, Align::left}, {"share", Align::right}});
    const auto limit = [&](std::size_t i) {
        return fmt::format(fmt::runtime(limit_text), first_limit + static_cast<int>(i));
    };
    for (std::size_t i = 0; i < shares.size(); ++i) {
        const auto range = i == 0                   ? "below " + limit(0)
                           : i + 1 == shares.size() ? "from " + limit(i - 1) + " on"
                                                    : "from " + limit(i - 1) + " to " + limit(i);
        table.add({"  " + range, percent(shares[i])});
    }
    return table.text(terminal) + "\n";
}

}  // namespace

std::string tails_text(const PointSamples& samples, const Terminal& terminal, const Shown& /*shown*/) {
    const auto& tails = samples.point.analyses.tails;
    auto text = paragraph(scope_of_analyses(samples.point));
    if (tails.by_minimum.empty()) {
        text += paragraph("The minimum is 0, so times are not given as multiples of it.");
    } else {
        text += shares_table(fmt::format("times the minimum, {}", time_text(tails.min_ns)), tails.by_minimum,
                             2, "{} x min", terminal);
    }
    text += shares_table(fmt::format("deviations of {} above the mean, {}", time_text(tails.deviation_ns),
                                     time_text(tails.mean_ns)),
                         tails.by_deviation, 1, "mean + {} sd", terminal);
    Table table({{"  quantile", Align::left}, {"time", Align::right}, {"95% interval", Align::right}});
    for (const auto& quantile : tails.quantiles) {
        const auto name = "  " + name_of(quantile);
        if (!quantile.value_ns) {
            table.add({name}, reason_of(quantile));
        } else if (!quantile.ci95_ns) {
            table.add({name, time_text(*quantile.value_ns)}, reason_of(quantile));
        } else {
            table.add({name, time_text(*quantile.value_ns),
                       time_interval_text(quantile.ci95_ns->low, quantile.ci95_ns->high)});
        }
    }
    return text + table.text(terminal);
}

ordered_json tails_json(const PointSamples& samples) {
    const auto& tails = samples.point.analyses.tails;
    ordered_json json{
        {"count", tails.count},
        {"min_ns", tails.min_ns},
        {"mean_ns", tails.mean_ns},
        {"deviation_ns", tails.deviation_ns},
        {"by_minimum", tails.by_minimum.empty() ? ordered_json(nullptr) : ordered_json(tails.by_minimum)},
        {"by_deviation", tails.by_deviation},
        {"quantiles", ordered_json::array()}};
    for (const auto& quantile : tails.quantiles) {
        json["quantiles"].push_back(
            {{"name", name_of(quantile)},
             {"share", quantile.share},
             {"value_ns", quantile.value_ns ? ordered_json(*quantile.value_ns) : ordered_json(nullptr)},
             {"ci95_ns", quantile.ci95_ns
                             ? ordered_json::array({quantile.ci95_ns->low, quantile.ci95_ns->high})
                             : ordered_json(nullptr)},
             {"reason", reason_of(quantile)}});
    }
    return json;
}

}  // namespace fathom::report
