#include "report/page/page_analyses.hpp"

#include <algorithm>

#include "journal/json.hpp"
#include "report/json_values.hpp"
#include "report/page/spread.hpp"

namespace fathom::report {
namespace {

using nlohmann::ordered_json;

ordered_json shortened_interval(const std::optional<stats::Interval>& interval) {
    return interval ? ordered_json::array({shortened(interval->low), shortened(interval->high)})
                    : ordered_json(nullptr);
}

/// The density at places that suffice for a line on a chart: of neighbours the highest, so that peaks stay.
ordered_json density_json(const std::vector<analysis::DensityPoint>& density) {
    constexpr std::size_t most = 100;
    const auto step = density.size() / most + 1;
    auto json = ordered_json::array();
    for (std::size_t i = 0; i < density.size(); i += step) {
        const auto begin = density.begin() + static_cast<std::ptrdiff_t>(i);
        const auto end = density.begin() + static_cast<std::ptrdiff_t>(std::min(density.size(), i + step));
        const auto highest =
            std::max_element(begin, end, [](const auto& a, const auto& b) { return a.density < b.density; });
        json.push_back(ordered_json::array({shortened(highest->at_ns), shortened(highest->density)}));
    }
    return json;
}

ordered_json distribution_of_page(const analysis::Distribution& distribution) {
    ordered_json json{{"text", distribution.text},
                      {"density", density_json(distribution.density)},
                      {"modes", ordered_json::array()},
                      {"fits", ordered_json::array()}};
    for (const auto& mode : distribution.modes) {
        json["modes"].push_back({{"at_ns", shortened(mode.at_ns)}, {"share", shortened(mode.share)}});
    }
    for (const auto& fit : distribution.fits) {
        ordered_json one{{"family", fit.family}};
        for (const auto& parameter : fit.parameters) {
            one["parameters"][parameter.name] = shortened(parameter.value);
        }
        one["criterion"] = shortened(fit.criterion);
        one["distance"] = shortened(fit.distance);
        one["good"] = or_null(fit.good);
        json["fits"].push_back(std::move(one));
    }
    return json;
}

ordered_json tails_of_page(const analysis::Tails& tails) {
    ordered_json json{{"count", tails.count},
                      {"min_ns", shortened(tails.min_ns)},
                      {"mean_ns", shortened(tails.mean_ns)},
                      {"deviation_ns", shortened(tails.deviation_ns)},
                      {"by_minimum", tails.by_minimum},
                      {"by_deviation", tails.by_deviation},
                      {"quantiles", ordered_json::array()}};
    for (const auto& quantile : tails.quantiles) {
        json["quantiles"].push_back({{"share", quantile.share},
                                     {"value_ns", or_null(quantile.value_ns)},
                                     {"ci95_ns", shortened_interval(quantile.ci95_ns)},
                                     {"reason", quantile.reason}});
    }
    return json;
}

ordered_json timeouts_of_page(const analysis::Timeouts& timeouts) {
    ordered_json json{{"status", timeouts.status},
                      {"rto_ns", timeouts.rto_ns},
                      {"rto_from", timeouts.rto_from},
                      {"classes", ordered_json::array()},
                      {"inferred", timeouts.inferred},
                      {"counted", or_null(timeouts.counted)},
                      {"counted_outside", or_null(timeouts.counted_outside)},
                      {"probes", or_null(timeouts.probes)},
                      {"mean_ns", shortened(timeouts.mean_ns)},
                      {"mean_without_ns", or_null(timeouts.mean_without_ns)},
                      {"text", timeouts.text}};
    for (const auto& row : timeouts.classes) {
        json["classes"].push_back({{"name", row.name},
                                   {"reps", row.reps},
                                   {"share", row.share},
                                   {"from_ns", shortened(row.from_ns)},
                                   {"to_ns", shortened(row.to_ns)}});
    }
    return json;
}

/// The times of processes are in the spread; here is what they come to.
ordered_json processes_of_page(const analysis::Processes& processes) {
    ordered_json json{{"text", processes.text},
                      {"most_often_last", processes.most_often_last},
                      {"rank", ordered_json::array()},
                      {"group", ordered_json::array()},
                      {"last_share", ordered_json::array()},
                      {"groups", ordered_json::array()}};
    for (const auto& process : processes.ranks) {
        json["rank"].push_back(process.rank);
        json["group"].push_back(process.group);
        json["last_share"].push_back(shortened(process.last_share));
    }
    for (const auto& group : processes.groups) {
        json["groups"].push_back({{"ranks", group.ranks},
                                  {"low_ns", shortened(group.low_ns)},
                                  {"high_ns", shortened(group.high_ns)}});
    }
    return json;
}

ordered_json explanation_of_page(const analysis::Explanation& explanation) {
    ordered_json json{{"slow", explanation.slow},
                      {"threshold_ns", shortened(explanation.threshold_ns)},
                      {"causes", ordered_json::array()},
                      {"small", explanation.small},
                      {"unexplained", explanation.unexplained},
                      {"text", explanation.text}};
    for (const auto& cause : explanation.causes) {
        json["causes"].push_back({{"kind", cause.kind},
                                  {"where", cause.where},
                                  {"reps", cause.reps},
                                  {"events", cause.events},
                                  {"lost_ns", shortened(cause.lost_ns)},
                                  {"text", cause.text}});
    }
    return json;
}

}  // namespace

void put_page_analyses(ordered_json& json, const analysis::PointAnalyses& analyses) {
    if (analyses.distribution) {
        json["distribution"] = distribution_of_page(*analyses.distribution);
    }
    if (analyses.tails) {
        json["tails"] = tails_of_page(*analyses.tails);
    }
    if (analyses.timeouts) {
        json["timeouts"] = timeouts_of_page(*analyses.timeouts);
    }
    if (analyses.processes) {
        json["processes"] = processes_of_page(*analyses.processes);
    }
    if (analyses.explanation) {
        json["explanation"] = explanation_of_page(*analyses.explanation);
    }
}

}  // namespace fathom::report
