#include "report/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "base/printable.hpp"
#include "base/text.hpp"
#include "journal/json.hpp"
#include "report/point_key.hpp"
#include "report/run_differences.hpp"
#include "report/run_text.hpp"
#include "report/sentences/point_warning.hpp"
#include "report/table.hpp"
#include "stats/comparison/bootstrap.hpp"

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

/// `run 2 (45 % of repetitions)`
std::string disturbed_share(const std::string& run, std::size_t disturbed, std::size_t others) {
    return fmt::format("{} ({:.0f} % of repetitions)", run,
                       100 * static_cast<double>(disturbed) / static_cast<double>(disturbed + others));
}

/// `the machine was disturbed in run 2 (45 % of repetitions)`
std::string disturbed_text(const analysis::ComparedPoint& point, const analysis::Comparison& comparison) {
    std::vector<std::string> runs;
    if (point.first_disturbed_reps > 0) {
        runs.push_back(disturbed_share(comparison.first.name, point.first_disturbed_reps, point.first_reps));
    }
    if (point.second_disturbed_reps > 0) {
        runs.push_back(
            disturbed_share(comparison.second.name, point.second_disturbed_reps, point.second_reps));
    }
    return fmt::format("the machine was disturbed in {}", and_list(runs));
}

/// What is in doubt about a point, in a few words; empty if nothing is.
std::string doubt_text(const analysis::ComparedPoint& point, const analysis::Comparison& comparison) {
    using analysis::Doubt;
    if (!point.doubt) {
        return "";
    }
    const auto wider = fmt::format("interval wider than {}", percent_text(comparison.limits.limit));
    switch (*point.doubt) {
        case Doubt::no_time:
            return "takes no time in one of the runs";
        case Doubt::few_repetitions:
            return "too few repetitions";
        case Doubt::disturbed:
            return disturbed_text(point, comparison);
        case Doubt::one_launch:
            return "one launch per run may be off by that much, use --runs 5";
        case Doubt::wide_one_launch:
            return wider + ": one launch per run, use --runs 5";
        case Doubt::wide_launches:
            return wider + ": launches differ, use more --runs";
        case Doubt::wide_repetitions:
            return wider + ": too few repetitions";
        case Doubt::near_limit:
            return fmt::format("perhaps by less than {}", percent_text(comparison.limits.limit));
    }
    return "";
}

std::string verdict_text(const analysis::ComparedPoint& point, const analysis::Comparison& comparison) {
    const auto reason = doubt_text(point, comparison);
    return std::string(to_text(point.verdict)) + (reason.empty() ? "" : fmt::format(" ({})", reason));
}

Ink ink_of(analysis::Change verdict) {
    return verdict == analysis::Change::slower      ? Ink::red
           : verdict == analysis::Change::undecided ? Ink::yellow
                                                    : Ink::plain;
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
        cells.push_back(!point.ratio_known                  ? "-"
                        : stats::is_open(point.ratio_range) ? "open"
                                                            : interval_text(point.ratio_ci95));
        table.add(std::move(cells), verdict_text(point, comparison), ink_of(point.verdict));
    }
    return table.text(terminal);
}

std::string run_line(const analysis::MeasuredRun& run) {
    const auto& row = run.result.run;
    return fmt::format("{}: {}{}{}, {} {}, {}{}\n", printable_name(run.name),
                       row.label.empty() ? "" : printable_name(row.label) + ", ",
                       printable_name(analysis::library_of(row)), row.simulated ? ", simulated" : "",
                       row.procs, row.procs == 1 ? "process" : "processes", printable_name(row.created_utc),
                       row.tags.empty() ? "" : fmt::format(" ({})", tags_text(row.tags)));
}

std::string header_of(const analysis::Comparison& comparison) {
    std::string text = run_line(comparison.first) + run_line(comparison.second);
    bool unlike = false;
    for (const auto& difference : comparison.differences) {
        text += fmt::format("They differ in {}.\n", printable(difference_text(difference)));
        unlike = unlike || difference.setting();
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

ordered_json point_json_of(const analysis::ComparedPoint& point, const analysis::Comparison& comparison) {
    const auto interval = [&](const stats::Interval& ends, bool known) {
        return known ? ordered_json::array({ends.low, ends.high}) : ordered_json();
    };
    return with_key(point.key,
                    {{"second_procs", point.second_procs},
                     {"first_median_ns", point.first_median_ns},
                     {"second_median_ns", point.second_median_ns},
                     {"first_reps", point.first_reps},
                     {"second_reps", point.second_reps},
                     {"first_starts", point.first_launches},
                     {"second_starts", point.second_launches},
                     {"first_disturbed", point.first_disturbed},
                     {"second_disturbed", point.second_disturbed},
                     {"first_disturbed_reps", point.first_disturbed_reps},
                     {"second_disturbed_reps", point.second_disturbed_reps},
                     {"ratio", point.ratio_known ? ordered_json(point.ratio) : ordered_json()},
                     {"ratio_ci95", interval(point.ratio_ci95, point.ratio_known)},
                     {"ratio_range",
                      interval(point.ratio_range, point.ratio_known && !stats::is_open(point.ratio_range))},
                     {"verdict", point.verdict},
                     {"reason", doubt_text(point, comparison)},
                     {"doubt", point.doubt ? ordered_json(*point.doubt) : ordered_json()},
                     {"beyond_limit", point.beyond_limit},
                     {"p_value", point.p_value},
                     {"ratio_p_value", point.ratio_p},
                     {"rank_p_value", point.rank_p},
                     {"superiority", point.superiority}});
}

/// `not in run 2`, `failed in run 2: rank 1 died`
std::string lack_text(const analysis::UnmatchedPoint& point, const analysis::Comparison& comparison) {
    const auto& run = point.lacking_in_first ? comparison.first.name : comparison.second.name;
    if (!point.status) {
        return fmt::format("not in {}", run);
    }
    const auto reason = reason_of(point.reason, point.no_times);
    return fmt::format("{} in {}{}",
                       point.status == store::PointStatus::ok ? "without a time" : to_text(*point.status),
                       run, reason.empty() ? "" : ": " + reason);
}

/// Why points are undecided: the reason, or how many have which, the most frequent first.
std::string reasons_of(const analysis::Comparison& comparison) {
    std::map<std::string, std::size_t> counts;
    for (const auto& point : comparison.points) {
        if (point.verdict == analysis::Change::undecided) {
            ++counts[point.doubt == analysis::Doubt::disturbed ? "the machine was disturbed"
                                                               : doubt_text(point, comparison)];
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
    const auto near_limit = static_cast<std::size_t>(
        std::count_if(comparison.points.begin(), comparison.points.end(),
                      [](const auto& point) { return point.doubt == analysis::Doubt::near_limit; }));
    add(near_limit, "slower, perhaps by less");
    add(comparison.count(analysis::Change::slower) - beyond - near_limit, "slower by less");
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
        text += fmt::format("Not compared: {}: {}.\n", to_text(point.key),
                            printable(lack_text(point, comparison)));
    }
    if (comparison.unmatched.size() > most) {
        text += fmt::format("Not compared: {} more; --json names all.\n", comparison.unmatched.size() - most);
    }
    if (const auto disturbed = comparison.disturbed(); disturbed > 0) {
        text += fmt::format(
            "The machine was disturbed while {} of {} points were measured: repetitions around preemptions "
            "are set aside, and intervals are wider by as much as they can hide.\n",
            disturbed, comparison.points.size());
    }
    const auto scatter = scatter_text(comparison);
    return text + (scatter.empty() ? "" : scatter + "\n") + printable(comparison_summary(comparison)) + "\n";
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
        json["differences"].push_back({{"kind", difference.kind},
                                       {"what", difference_name(difference)},
                                       {"first", first_value(difference)},
                                       {"second", second_value(difference)},
                                       {"setting", difference.setting()}});
    }
    json["points"] = ordered_json::array();
    for (const auto& point : comparison.points) {
        json["points"].push_back(point_json_of(point, comparison));
    }
    json["unmatched"] = ordered_json::array();
    for (const auto& point : comparison.unmatched) {
        json["unmatched"].push_back(with_key(
            point.key, {{"reason", lack_text(point, comparison)}, {"newly_failed", point.newly_failed}}));
    }
    json["summary"] = {{"points", comparison.points.size()},
                       {"slower", comparison.count(analysis::Change::slower)},
                       {"faster", comparison.count(analysis::Change::faster)},
                       {"same", comparison.count(analysis::Change::same)},
                       {"undecided", comparison.count(analysis::Change::undecided)},
                       {"open", comparison.open()},
                       {"beyond_limit", comparison.beyond_limit()},
                       {"unmatched", comparison.unmatched.size()},
                       {"newly_failed", comparison.newly_failed()}};
    return json;
}

}  // namespace fathom::report
