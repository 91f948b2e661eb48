#include "report/tune_fit.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <functional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/units.hpp"
#include "report/point_key.hpp"
#include "report/table.hpp"

namespace fathom::report {
namespace {

using nlohmann::ordered_json;
using Align = Table::Align;

std::string fit_error_text(double share) {
    constexpr double percent = 100;
    return fmt::format("{:.2f} %", percent * share);
}

/// Four digits in the unit that fits, of times of bytes too: `28.32 us`, `0.0803 ns`.
std::string formula_time(double ns) {
    constexpr std::array<std::pair<const char*, double>, 4> units{
        {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}}};
    const auto* const unit = std::ranges::find_if(
        units, [&](const auto& each) { return each.second == 1 || std::abs(ns) >= each.second; });
    return fmt::format("{:.4g} {}", ns / unit->second, unit->first);
}

/// A number that both languages read back as the same one, as a floating-point constant.
std::string constant_text(double number) {
    auto text = fmt::format("{:.17g}", number);
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

/// Names in result files are not trusted: in source code nothing of them may end a comment or a string.
std::string harmless_in_code(std::string_view text) {
    std::string made;
    for (const char letter : text) {
        const bool plain = std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
                           std::string_view(" ,.:;=%+()_-").find(letter) != std::string_view::npos;
        made += plain ? letter : '_';
    }
    return made;
}

/// `fathom_bcast_8_reference_binomial`: a name of its own for each curve.
std::string function_name(const plan::PointKey& key, std::set<std::string>& taken) {
    std::string name = fmt::format("fathom_{}_{}", key.operation, key.procs);
    for (const auto& extra : plan::extra_dimensions<plan::PointKey>) {
        if (const auto& value = key.*extra.value; !value.empty()) {
            name += "_" + value;
        }
    }
    for (auto& letter : name) {
        letter = std::isalnum(static_cast<unsigned char>(letter)) != 0 ? letter : '_';
    }
    auto own = name;
    for (int number = 2; !taken.insert(own).second; ++number) {
        own = fmt::format("{}_{}", name, number);
    }
    return own;
}

/// What is said of a fit beside its function, one line each.
std::vector<std::string> remarks_on(const tune::Fit& fit) {
    return {harmless_in_code(plan::curve_text(fit.key)) + ": nanoseconds of a size in bytes.",
            fmt::format("Fitted to {} sizes from {} to {} bytes; beyond them it is a guess.",
                        fit.points.size(), fit.points.front().size.count, fit.points.back().size.count),
            fmt::format("Error of the fit: {} on average, {} at most.", fit_error_text(fit.mean_error),
                        fit_error_text(fit.largest_error))};
}

std::string sum_text(const tune::Line& line) {
    return fmt::format("{} + {} * size_bytes", constant_text(line.fixed_ns), constant_text(line.per_byte_ns));
}

}  // namespace

std::string tune_fit_text(const std::vector<tune::Fit>& fits, const Terminal& terminal) {
    std::string text;
    for (const auto& fit : fits) {
        Table table({{"from", Align::right},
                     {"to", Align::right},
                     {"fixed", Align::right},
                     {"rate", Align::right},
                     {"time of n bytes", Align::left}});
        auto first = fit.points.front().size;
        for (const auto& range : fit.time.ranges) {
            constexpr double ns_per_s = 1e9;
            const bool is_last = range.up_to == tune::endless;
            table.add({exact_text(first), exact_text(is_last ? fit.points.back().size : range.up_to),
                       time_text(range.time.fixed_ns),
                       range.time.per_byte_ns > 0 ? rate_text(ns_per_s / range.time.per_byte_ns) : "-",
                       fmt::format("{} {} {} n", formula_time(range.time.fixed_ns),
                                   range.time.per_byte_ns < 0 ? "-" : "+",
                                   formula_time(std::abs(range.time.per_byte_ns)))});
            first = {range.up_to.count + 1};
        }
        text += fmt::format("{}{}\n{}Error of the fit to {} sizes: {} on average, {} at most.\n",
                            text.empty() ? "" : "\n", bold(plan::curve_text(fit.key), terminal),
                            table.text(terminal), fit.points.size(), fit_error_text(fit.mean_error),
                            fit_error_text(fit.largest_error));
    }
    return text;
}

ordered_json tune_fit_json(const std::vector<tune::Fit>& fits) {
    ordered_json json{{"schema", "fathom.tune-fit/1"}, {"fits", ordered_json::array()}};
    for (const auto& fit : fits) {
        ordered_json ranges = ordered_json::array();
        auto first = fit.points.front().size;
        for (const auto& range : fit.time.ranges) {
            const bool is_last = range.up_to == tune::endless;
            ranges.push_back({{"from_bytes", first.count},
                              {"to_bytes", is_last ? fit.points.back().size.count : range.up_to.count},
                              {"fixed_ns", range.time.fixed_ns},
                              {"per_byte_ns", range.time.per_byte_ns}});
            first = {range.up_to.count + 1};
        }
        ordered_json points = ordered_json::array();
        for (const auto& point : fit.points) {
            points.push_back({{"size_bytes", point.size.count},
                              {"measured_ns", point.measured_ns},
                              {"fitted_ns", point.fitted_ns},
                              {"error", point.error()}});
        }
        json["fits"].push_back(with_curve_key(fit.key, {{"ranges", ranges},
                                                        {"mean_error", fit.mean_error},
                                                        {"largest_error", fit.largest_error},
                                                        {"points", points}}));
    }
    return json;
}

std::string tune_fit_c(const std::vector<tune::Fit>& fits, std::string_view source) {
    auto text = fmt::format("/* Closed forms of measured times, fitted by fathom to {}. */\n",
                            harmless_in_code(source));
    std::set<std::string> taken;
    for (const auto& fit : fits) {
        const auto lines = remarks_on(fit);
        text += fmt::format("\n/* {}\n   {}\n   {} */\n", lines[0], lines[1], lines[2]);
        const auto name = function_name(fit.key, taken);
        text += fmt::format("double {}(double size_bytes);\ndouble {}(double size_bytes) {{\n", name, name);
        for (const auto& range : fit.time.ranges) {
            text += range.up_to == tune::endless
                        ? fmt::format("    return {};\n}}\n", sum_text(range.time))
                        : fmt::format("    if (size_bytes <= {}.0) {{\n        return {};\n    }}\n",
                                      range.up_to.count, sum_text(range.time));
        }
    }
    return text;
}

std::string tune_fit_python(const std::vector<tune::Fit>& fits, std::string_view source) {
    auto text = fmt::format("\"\"\"Closed forms of measured times, fitted by fathom to {}.\"\"\"\n",
                            harmless_in_code(source));
    std::set<std::string> taken;
    for (const auto& fit : fits) {
        const auto lines = remarks_on(fit);
        text += fmt::format("\n\ndef {}(size_bytes):\n    \"\"\"{}\n\n    {}\n    {}\n    \"\"\"\n",
                            function_name(fit.key, taken), lines[0], lines[1], lines[2]);
        for (const auto& range : fit.time.ranges) {
            text += range.up_to == tune::endless
                        ? fmt::format("    return {}\n", sum_text(range.time))
                        : fmt::format("    if size_bytes <= {}:\n        return {}\n", range.up_to.count,
                                      sum_text(range.time));
        }
    }
    return text;
}

}  // namespace fathom::report
