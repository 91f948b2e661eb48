#include "report/curves.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "base/units.hpp"
#include "report/plot.hpp"

namespace fathom::report {
namespace {

constexpr std::size_t fewest_sizes = 4;
constexpr std::size_t most_curves = 3;

std::string size_label(double power) {
    return to_text(Bytes{std::llround(std::exp2(power))});
}

std::string time_label(double power) {
    return time_text(std::pow(10, power));
}

}  // namespace

std::string curves_text(const analysis::RunResult& result) {
    std::vector<std::pair<std::string, std::vector<Dot>>> curves;
    std::map<std::string, std::size_t> places;
    for (const auto& point : result.points) {
        if (!point.value_ns || point.value_ns->value <= 0 || point.key.size.count <= 0 || point.overlap) {
            continue;
        }
        const auto key = curve_text(point.key);
        const auto [place, is_new] = places.try_emplace(key, curves.size());
        if (is_new) {
            curves.emplace_back(key, std::vector<Dot>{});
        }
        curves[place->second].second.push_back(
            {std::log2(static_cast<double>(point.key.size.count)), std::log10(point.value_ns->value)});
    }
    std::erase_if(curves, [](const auto& curve) { return curve.second.size() < fewest_sizes; });
    if (curves.empty()) {
        return fmt::format("\nNothing to draw: a curve needs times at {} sizes or more.\n", fewest_sizes);
    }
    std::string text;
    for (std::size_t i = 0; i < std::min(most_curves, curves.size()); ++i) {
        text += fmt::format("\n{}: time against bytes, both logarithmic\n", curves[i].first);
        text += scatter_plot(curves[i].second, size_label, time_label);
    }
    if (curves.size() > most_curves) {
        text += fmt::format("\n{} more curves are not drawn here; --op NAME draws those of one operation.\n",
                            curves.size() - most_curves);
    }
    return text;
}

}  // namespace fathom::report
