#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/units.hpp"
#include "journal/json.hpp"
#include "report/json_values.hpp"
#include "report/paragraph.hpp"
#include "report/plot.hpp"
#include "report/point_analyses/point_analyses.hpp"
#include "report/sentences/point.hpp"
#include "report/table.hpp"

namespace fathom::report {
namespace {

using Align = Table::Align;
using nlohmann::ordered_json;

std::string power_text(double power) {
    return time_text(std::pow(10, power));
}

/// Labels of neighbouring bars differ, however narrow the bars are: all in one unit, with as many decimals as
/// that takes.
std::string bars(const stats::Histogram& histogram) {
    struct Unit {
        double ns;
        const char* name;
    };
    const double end = histogram.low + histogram.width * static_cast<double>(histogram.counts.size());
    const Unit unit = end < 1e3   ? Unit{1, "ns"}
                      : end < 1e6 ? Unit{1e3, "us"}
                      : end < 1e9 ? Unit{1e6, "ms"}
                                  : Unit{1e9, "s"};
    constexpr int most = 6;
    const int decimals =
        std::clamp(static_cast<int>(std::ceil(-std::log10(histogram.width / unit.ns))), 0, most);
    return bar_plot(histogram, [&](double time) {
        return fmt::format("{:.{}f} {}", time / unit.ns, decimals, unit.name);
    });
}

std::string parameter_text(const analysis::FitParameter& parameter) {
    auto name = parameter.name;
    const bool time = name.ends_with("_ns");
    name = time ? name.substr(0, name.size() - 3) : name;
    std::replace(name.begin(), name.end(), '_', ' ');
    return time ? fmt::format("{} {}", name, time_text(parameter.value))
                : fmt::format("{} {:.3g}", name, parameter.value);
}

std::string modes_table(const std::vector<analysis::Mode>& modes, const Terminal& terminal) {
    Table table(
        {{"  mode at", Align::right}, {"share", Align::right}, {"from", Align::right}, {"to", Align::right}});
    for (const auto& mode : modes) {
        table.add({time_text(mode.at_ns), fmt::format("{:.2f} %", 100 * mode.share), time_text(mode.from_ns),
                   time_text(mode.to_ns)});
    }
    return table.text(terminal);
}

std::string fits_table(const std::vector<analysis::Fit>& fits, const Terminal& terminal) {
    Table table({{"  fit", Align::left},
                 {"off by", Align::right},
                 {"", Align::left},
                 {"worse by", Align::right},
                 {"parameters", Align::left, 0, true}});
    for (const auto& fit : fits) {
        std::vector<std::string> parameters;
        for (const auto& parameter : fit.parameters) {
            parameters.push_back(parameter_text(parameter));
        }
        table.add({"  " + fit.family, fmt::format("{:.1f} %", 100 * fit.distance),
                   !fit.good   ? "-"
                   : *fit.good ? "fits"
                               : "does not",
                   fmt::format("{:.0f}", fit.criterion - fits.front().criterion),
                   fmt::format("{}", fmt::join(parameters, ", "))});
    }
    return table.text(terminal);
}

/// Times are drawn by the logarithm where many of them lie beyond the linear bins, which reach as far as the
/// body does.
bool by_logarithm(const analysis::Distribution& distribution) {
    constexpr double many = 0.05;
    return distribution.steps.front().at_ns > 0 &&
           static_cast<double>(distribution.linear.above) > many * static_cast<double>(distribution.count);
}

ordered_json histogram_json(const stats::Histogram& histogram, const char* unit) {
    return {{std::string("low") + unit, histogram.low},
            {std::string("width") + unit, histogram.width},
            {"counts", histogram.counts},
            {"above", histogram.above}};
}

ordered_json fit_json(const analysis::Fit& fit) {
    ordered_json json{{"family", fit.family},
                      {"bic", fit.criterion},
                      {"distance", fit.distance},
                      {"good", or_null(fit.good)},
                      {"parameters", ordered_json::object()}};
    for (const auto& parameter : fit.parameters) {
        json["parameters"][parameter.name] = parameter.value;
    }
    return json;
}

std::string times_text(const analysis::Distribution& distribution, const Terminal& terminal) {
    auto text = paragraph(conclusion(distribution));
    if (distribution.steps.size() > 1) {
        text += by_logarithm(distribution) ? bar_plot(distribution.logarithmic, power_text)
                                           : bars(distribution.linear);
    }
    if (distribution.modes.size() > 1) {
        text += modes_table(distribution.modes, terminal);
    }
    if (!distribution.fits.empty()) {
        text += fits_table(distribution.fits, terminal);
    }
    return text;
}

ordered_json times_json(const analysis::Distribution& distribution) {
    ordered_json json{{"count", distribution.count},
                      {"independent_count", distribution.effective_sample_size},
                      {"clock_step_ns",
                       distribution.tick_ns > 0 ? ordered_json(distribution.tick_ns) : ordered_json(nullptr)},
                      {"histogram", histogram_json(distribution.linear, "_ns")},
                      {"histogram_log10", histogram_json(distribution.logarithmic, "_log10_ns")},
                      {"steps", ordered_json::array()},
                      {"density", ordered_json::array()},
                      {"modes", ordered_json::array()},
                      {"body_to_ns", distribution.body_to_ns},
                      {"body_share", distribution.body_share},
                      {"fits", ordered_json::array()},
                      {"text", conclusion(distribution)}};
    for (const auto& step : distribution.steps) {
        json["steps"].push_back({{"at_ns", step.at_ns}, {"share", step.share}});
    }
    for (const auto& point : distribution.density) {
        json["density"].push_back({{"at_ns", point.at_ns}, {"density_per_ns", point.density}});
    }
    for (const auto& mode : distribution.modes) {
        json["modes"].push_back(
            {{"at_ns", mode.at_ns}, {"share", mode.share}, {"from_ns", mode.from_ns}, {"to_ns", mode.to_ns}});
    }
    for (const auto& fit : distribution.fits) {
        json["fits"].push_back(fit_json(fit));
    }
    return json;
}

/// Of each rank, where each counts for itself.
std::map<int, analysis::Distribution> of_each_rank(const PointSamples& samples) {
    std::map<int, analysis::Distribution> found;
    if (samples.point.over_ranks == plan::OverRanks::each) {
        for (const auto& [rank, times] : samples.repetitions.by_rank) {
            found.emplace(rank, analysis::distribution_of(times));
        }
    }
    return found;
}

}  // namespace

std::string distribution_text(const PointSamples& samples, const Terminal& terminal, const Shown& /*shown*/) {
    auto text = paragraph(scope_of_analyses(samples.point)) +
                times_text(samples.point.analyses.distribution, terminal);
    for (const auto& [rank, distribution] : of_each_rank(samples)) {
        text += fmt::format("\nrank {}\n", rank) + times_text(distribution, terminal);
    }
    return text;
}

ordered_json distribution_json(const PointSamples& samples) {
    auto json = times_json(samples.point.analyses.distribution);
    for (const auto& [rank, distribution] : of_each_rank(samples)) {
        json["ranks"].push_back(times_json(distribution));
        json["ranks"].back()["rank"] = rank;
    }
    return json;
}

}  // namespace fathom::report
