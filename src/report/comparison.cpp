#include "report/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "base/text.hpp"
#include "journal/json.hpp"
#include "report/point_key.hpp"
#include "report/run_text.hpp"
#include "report/table.hpp"

namespace fathom::report {
namespace {

using nlohmann::ordered_json;
using Align = Table::Align;

/// A ratio as a change: `+48.9 %`.
std::string change_text(double ratio) {
    const double percent = (ratio - 1) * 100;
    return fmt::format("{:+.{}f} %", percent, std::abs(percent) < 100 ? 1 : 0);
}

/// `-1.4 .. +0.6 %`
std::string interval_text(const stats::Interval& ratio) {
    const double low = (ratio.low - 1) * 100;
    const double high = (ratio.high - 1) * 100;
    const int digits = std::max(std::abs(low), std::abs(high)) < 10 ? 1 : 0;
    return fmt::format("{:+.{}f} .. {:+.{}f} %", low, digits, high, digits);
}

std::string percent_text(double share) {
    return fmt::format("{:.3g} %", share * 100);
}

std::string colour_of(const analysis::ComparedPoint& point, const Terminal& terminal) {
    const auto words = std::string(to_text(point.verdict)) +
                       (point.reason.empty() ? "" : fmt::format(" ({})", point.reason));
    return point.verdict == analysis::Change::slower      ? red(words, terminal)
           : point.verdict == analysis::Change::undecided ? yellow(words, terminal)
                                                          : words;
}

std::string table_of(const analysis::Comparison& comparison, const Terminal& terminal) {
    const KeyColumns<analysis::PointKey> keys(
        comparison.points, [](const auto& point) -> const auto& { return point.key; });
    auto columns = keys.titles();
    const auto procs = columns.size() - 2;
    for (const auto& title : {comparison.first.name, comparison.second.name, std::string("change"),
                              std::string("95% interval")}) {
        columns.push_back({title, Align::right});
    }
    columns.push_back({"verdict", Align::left});
    Table table(columns);
    for (const auto& point : comparison.points) {
        auto cells = keys.cells(point.key);
        if (point.key.procs != point.second_procs) {
            cells[procs] = fmt::format("{} / {}", point.key.procs, point.second_procs);
        }
        cells.push_back(time_text(point.first_median_ns));
        cells.push_back(time_text(point.second_median_ns));
        cells.push_back(point.ratio_known ? change_text(point.ratio) : "-");
        cells.push_back(point.ratio_known ? interval_text(point.ratio_ci95) : "-");
        table.add(std::move(cells), colour_of(point, terminal));
    }
    return table.text(terminal);
}

std::string run_line(const analysis::MeasuredRun& run) {
    const auto& row = run.result.run;
    return fmt::format("{}: {}{}{}, {} {}, {}{}\n", run.name, row.label.empty() ? "" : row.label + ", ",
                       analysis::library_of(row), row.simulated ? ", simulated" : "", row.procs,
                       row.procs == 1 ? "process" : "processes", row.created_utc,
                       row.tags.empty() ? "" : fmt::format(" ({})", tags_text(row.tags)));
}

std::string header_of(const analysis::Comparison& comparison) {
    std::string text = run_line(comparison.first) + run_line(comparison.second);
    bool unlike = false;
    for (const auto& difference : comparison.differences) {
        text += fmt::format("They differ in {}.\n", analysis::text_of(difference));
        unlike = unlike || difference.setting;
    }
    if (comparison.across_procs) {
        text += "Points are matched although the process counts of the runs differ.\n";
    }
    if (unlike) {
        text += "Warning: settings differ that change what is measured; the times may not be comparable.\n";
    }
    return text + "\n";
}

std::string scatter_text(const analysis::Comparison& comparison) {
    const auto& scatter = comparison.scatter;
    if (scatter.source == analysis::ScatterSource::launches) {
        return fmt::format("Launches of a run differ by {} (standard deviation, median over all points).",
                           percent_text(scatter.share));
    }
    if (scatter.source == analysis::ScatterSource::table) {
        return fmt::format(
            "Each run was launched once; that launches differ by {} is estimated from the scatter of all "
            "points.",
            percent_text(scatter.share));
    }
    if (scatter.source == analysis::ScatterSource::assumed) {
        return fmt::format(
            "Each run was launched once; that launches differ by {} is assumed. --runs 5 measures it.",
            percent_text(scatter.share));
    }
    return "";
}

ordered_json run_json_of(const analysis::MeasuredRun& run) {
    const auto& row = run.result.run;
    return {{"name", run.name},           {"run", row.id},
            {"label", row.label},         {"created_utc", row.created_utc},
            {"mpi", row.mpi_flavour},     {"mpi_version", row.mpi_version},
            {"simulated", row.simulated}, {"procs", row.procs},
            {"hosts", run.hosts},         {"tags", row.tags}};
}

ordered_json point_json_of(const analysis::ComparedPoint& point) {
    return with_key(
        point.key,
        {{"second_procs", point.second_procs},
         {"first_median_ns", point.first_median_ns},
         {"second_median_ns", point.second_median_ns},
         {"first_reps", point.first_reps},
         {"second_reps", point.second_reps},
         {"first_starts", point.first_launches},
         {"second_starts", point.second_launches},
         {"first_disturbed", point.first_disturbed},
         {"second_disturbed", point.second_disturbed},
         {"ratio", point.ratio_known ? ordered_json(point.ratio) : ordered_json()},
         {"ratio_ci95", point.ratio_known ? ordered_json::array({point.ratio_ci95.low, point.ratio_ci95.high})
                                          : ordered_json()},
         {"verdict", point.verdict},
         {"reason", point.reason},
         {"beyond_limit", point.beyond_limit},
         {"p_value", point.p_value},
         {"ratio_p_value", point.ratio_p},
         {"rank_p_value", point.rank_p},
         {"superiority", point.superiority}});
}

/// Why points are undecided: the reason, or how many have which, the most frequent first.
std::string reasons_of(const analysis::Comparison& comparison) {
    std::map<std::string, std::size_t> counts;
    for (const auto& point : comparison.points) {
        if (point.verdict == analysis::Change::undecided) {
            ++counts[point.reason];
        }
    }
    if (counts.size() == 1) {
        return counts.begin()->first;
    }
    std::vector<std::pair<std::string, std::size_t>> sorted(counts.begin(), counts.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    std::vector<std::string> parts;
    for (const auto& [reason, count] : sorted) {
        parts.push_back(fmt::format("{}: {}", count, reason));
    }
    return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace

std::string comparison_summary(const analysis::Comparison& comparison) {
    const auto beyond = comparison.beyond_limit();
    auto text = fmt::format("{} of {} {} slower by more than {}", beyond, comparison.points.size(),
                            comparison.points.size() == 1 ? "point is"
                            : beyond == 1                 ? "points is"
                                                          : "points are",
                            percent_text(comparison.limits.limit));
    const auto add = [&](std::size_t count, const std::string& words) {
        if (count > 0) {
            text += fmt::format(", {} {}", count, words);
        }
    };
    add(comparison.count(analysis::Change::slower) - beyond, "slower by less");
    add(comparison.count(analysis::Change::faster), "faster");
    add(comparison.count(analysis::Change::same), "the same");
    const auto undecided = comparison.count(analysis::Change::undecided);
    if (undecided > 0) {
        add(undecided, fmt::format("undecided ({})", reasons_of(comparison)));
    }
    const auto failed = comparison.newly_failed();
    add(failed,
        fmt::format("measured in {} but failed in {}", comparison.first.name, comparison.second.name));
    return text + ".";
}

std::string comparison_text(const analysis::Comparison& comparison, const Terminal& terminal) {
    std::string text = header_of(comparison) + table_of(comparison, terminal) + "\n";
    constexpr std::size_t most = 12;
    for (std::size_t i = 0; i < std::min(most, comparison.unmatched.size()); ++i) {
        const auto& point = comparison.unmatched[i];
        text += fmt::format("Not compared: {}: {}.\n", to_text(point.key), point.reason);
    }
    if (comparison.unmatched.size() > most) {
        text += fmt::format("Not compared: {} more; --json names all.\n", comparison.unmatched.size() - most);
    }
    if (const auto disturbed = comparison.disturbed(); disturbed > 0) {
        text += fmt::format(
            "The machine was disturbed while {} of {} points were measured: slowdowns there may be due to "
            "that.\n",
            disturbed, comparison.points.size());
    }
    const auto scatter = scatter_text(comparison);
    return text + (scatter.empty() ? "" : scatter + "\n") + comparison_summary(comparison) + "\n";
}

ordered_json comparison_json(const analysis::Comparison& comparison) {
    ordered_json json{{"schema", "fathom.compare/1"},
                      {"first", run_json_of(comparison.first)},
                      {"second", run_json_of(comparison.second)},
                      {"limit_percent", comparison.limits.limit * 100},
                      {"negligible_percent", comparison.limits.negligible * 100},
                      {"across_procs", comparison.across_procs}};
    json["start_scatter_percent"] = comparison.scatter.share * 100;
    json["start_scatter_source"] = comparison.scatter.source;
    json["differences"] = ordered_json::array();
    for (const auto& difference : comparison.differences) {
        json["differences"].push_back({{"what", difference.what},
                                       {"first", difference.first},
                                       {"second", difference.second},
                                       {"setting", difference.setting}});
    }
    json["points"] = ordered_json::array();
    for (const auto& point : comparison.points) {
        json["points"].push_back(point_json_of(point));
    }
    json["unmatched"] = ordered_json::array();
    for (const auto& point : comparison.unmatched) {
        json["unmatched"].push_back(
            with_key(point.key, {{"reason", point.reason}, {"newly_failed", point.newly_failed}}));
    }
    json["summary"] = {{"points", comparison.points.size()},
                       {"slower", comparison.count(analysis::Change::slower)},
                       {"faster", comparison.count(analysis::Change::faster)},
                       {"same", comparison.count(analysis::Change::same)},
                       {"undecided", comparison.count(analysis::Change::undecided)},
                       {"beyond_limit", comparison.beyond_limit()},
                       {"unmatched", comparison.unmatched.size()},
                       {"newly_failed", comparison.newly_failed()}};
    return json;
}

}  // namespace fathom::report
