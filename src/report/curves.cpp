#include "report/curves.hpp"

#include <cmath>
#include <map>
#include <tuple>
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

/// Of one operation: its name and pattern, processes, scheme, progress.
using Key = std::tuple<std::string, int, std::string, std::string>;

}  // namespace

std::string curves_text(const analysis::RunResult& result) {
    std::vector<std::pair<Key, std::vector<Dot>>> curves;
    std::map<Key, std::size_t> places;
    for (const auto& point : result.points) {
        if (!point.value_ns || point.value_ns->value <= 0 || point.size.count <= 0 || point.overlap) {
            continue;
        }
        const Key key{point.operation, point.procs, point.scheme, point.progress};
        const auto [place, is_new] = places.try_emplace(key, curves.size());
        if (is_new) {
            curves.emplace_back(key, std::vector<Dot>{});
        }
        curves[place->second].second.push_back(
            {std::log2(static_cast<double>(point.size.count)), std::log10(point.value_ns->value)});
    }
    std::erase_if(curves, [](const auto& curve) { return curve.second.size() < fewest_sizes; });
    if (curves.size() > most_curves) {
        return {};
    }
    std::string text;
    for (const auto& [key, dots] : curves) {
        const auto& [operation, procs, scheme, progress] = key;
        text += fmt::format("\n{}, {} {}{}{}: time against bytes, both logarithmic\n", operation, procs,
                            procs == 1 ? "process" : "processes", scheme.empty() ? "" : ", " + scheme,
                            progress.empty() ? "" : ", progress " + progress);
        text += scatter_plot(dots, size_label, time_label);
    }
    return text;
}

}  // namespace fathom::report
