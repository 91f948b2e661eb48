#include "analysis/point/processes.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/units.hpp"
#include "journal/json.hpp"
#include "plan/operations.hpp"
#include "report/paragraph.hpp"
#include "report/point_analyses/point_analyses.hpp"
#include "report/sentences/point.hpp"
#include "report/table.hpp"

namespace fathom::report {
namespace {

using Align = Table::Align;
using nlohmann::ordered_json;

/// The median as a bar, the longest of all full.
std::string bar(double median, double longest) {
    constexpr double columns = 8;
    const auto filled =
        median > 0 ? std::ceil(columns * median / longest) : 0;  // a coarse clock may give less
    return std::string(static_cast<std::size_t>(filled), '#');
}

std::string one_line(const std::string& host) {
    constexpr std::size_t most = 12;
    return host.size() <= most ? host : host.substr(0, most - 2) + "..";
}

/// None of a matrix: there only the lower rank of each pair is timed, so a rank's times are those of other
/// pairs than its neighbour's, and the table of pairs tells what can be told.
analysis::Processes processes_in(const PointSamples& samples) {
    const auto* const operation = plan::known_operation(samples.point.key.operation);
    return operation != nullptr && operation->kind == plan::Kind::matrix
               ? analysis::Processes{}
               : analysis::processes_of(samples.repetitions, samples.evidence.hosts);
}

}  // namespace

std::string processes_text(const PointSamples& samples, const Terminal& terminal, const Shown& /*shown*/) {
    const auto processes = processes_in(samples);
    if (processes.ranks.empty()) {
        return {};
    }
    const bool groups = processes.groups.size() > 1;
    std::vector<Table::Column> columns{{"  rank", Align::right}, {"host", Align::left}};
    if (groups) {
        columns.push_back({"group", Align::right});
    }
    for (const char* title : {"min", "median", "mean", "max", "last"}) {
        columns.push_back({title, Align::right});
    }
    columns.push_back({"median", Align::left});
    Table table(columns);
    double longest = 0;
    for (const auto& rank : processes.ranks) {
        longest = std::max(longest, rank.median_ns);
    }
    for (const auto& rank : processes.ranks) {
        std::vector<std::string> cells{std::to_string(rank.rank), one_line(rank.host)};
        if (groups) {
            cells.push_back(std::to_string(rank.group + 1));
        }
        for (const double time : {rank.min_ns, rank.median_ns, rank.mean_ns, rank.max_ns}) {
            cells.push_back(time_text(time));
        }
        cells.push_back(fmt::format("{:.0f} %", 100 * rank.last_share));
        cells.push_back(bar(rank.median_ns, longest));
        table.add(std::move(cells));
    }
    return paragraph(conclusion(processes)) + table.text(terminal);
}

ordered_json processes_json(const PointSamples& samples) {
    const auto processes = processes_in(samples);
    if (processes.ranks.empty()) {
        return nullptr;
    }
    ordered_json json{
        {"ranks", ordered_json::array()},
        {"groups", ordered_json::array()},
        {"most_often_last_rank",
         processes.most_often_last >= 0 ? ordered_json(processes.most_often_last) : ordered_json(nullptr)},
        {"text", conclusion(processes)}};
    for (const auto& rank : processes.ranks) {
        json["ranks"].push_back({{"rank", rank.rank},
                                 {"host", rank.host},
                                 {"count", rank.count},
                                 {"min_ns", rank.min_ns},
                                 {"mean_ns", rank.mean_ns},
                                 {"median_ns", rank.median_ns},
                                 {"max_ns", rank.max_ns},
                                 {"last_share", rank.last_share},
                                 {"group", rank.group}});
    }
    for (const auto& group : processes.groups) {
        json["groups"].push_back(
            {{"ranks", group.ranks}, {"low_ns", group.low_ns}, {"high_ns", group.high_ns}});
    }
    return json;
}

}  // namespace fathom::report
