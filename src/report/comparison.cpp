#include "report/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "base/printable.hpp"
#include "base/text.hpp"
#include "journal/json.hpp"
#include "report/change_by_size.hpp"
#include "report/json.hpp"
#include "report/medians_only.hpp"
#include "report/paragraph.hpp"
#include "report/point_key.hpp"
#include "report/run_differences.hpp"
#include "report/run_text.hpp"
#include "report/sentences/between_runs.hpp"
#include "report/sentences/change_by_size.hpp"
#include "report/sentences/point_warning.hpp"
#include "report/table.hpp"
#include "stats/comparison/bootstrap.hpp"

namespace fathom::report {
namespace {

using nlohmann::ordered_json;
using Align = Table::Align;

/// `-1.4 .. +0.6 %`, or `0.92 .. 2090 times`
std::string interval_text(const stats::Interval& ratio) {
    const double low = (ratio.low - 1) * 100;
    const double high = (ratio.high - 1) * 100;
    if (high > most_percent) {
        return fmt::format("{} .. {} times", three_digits(ratio.low), three_digits(ratio.high));
    }
    const int digits = std::max(std::abs(low), std::abs(high)) < 10 ? 1 : 0;
    return fmt::format("{} .. {} %", signed_percent(low, digits), signed_percent(high, digits));
}

std::string percent_text(double share) {
    return fmt::format("{:.3g} %", share * 100);
}

/// `run 2 (45 % of repetitions)`
std::string disturbed_share(const std::string& run, double share, analysis::Quality quality) {
    return quality == analysis::Quality::disturbed
               ? run + " (too few undisturbed repetitions)"
               : fmt::format("{} ({:.0f} % of repetitions)", run, 100 * share);
}

/// `the machine was disturbed in run 2 (45 % of repetitions)`
std::string disturbed_text(const analysis::ComparedPoint& point, const analysis::Comparison& comparison) {
    std::vector<std::string> runs;
    if (point.first_disturbed_reps > 0) {
        runs.push_back(
            disturbed_share(comparison.first.name, point.first_disturbed_share, point.first_quality));
    }
    if (point.second_disturbed_reps > 0) {
        runs.push_back(
            disturbed_share(comparison.second.name, point.second_disturbed_share, point.second_quality));
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
            return wider + ": launches differ";
        case Doubt::wide_runs:
            return wider + ": variation between runs, measure in alternation with --against";
        case Doubt::wide_repetitions:
            return wider + ": too few repetitions";
        case Doubt::near_limit:
            return fmt::format("perhaps by less than {}", percent_text(comparison.limits.limit));
    }
    return "";
}

/// The same in a word or two, for rows without room for more.
std::string_view doubt_word(analysis::Doubt doubt) {
    using analysis::Doubt;
    switch (doubt) {
        case Doubt::no_time:
            return "no time";
        case Doubt::few_repetitions:
            return "too few reps";
        case Doubt::disturbed:
            return "disturbed";
        case Doubt::one_launch:
            return "one launch";
        case Doubt::wide_one_launch:
            return "wide, one launch";
        case Doubt::wide_launches:
            return "launches differ";
        case Doubt::wide_runs:
            return "runs differ";
        case Doubt::wide_repetitions:
            return "wide interval";
        case Doubt::near_limit:
            return "near the limit";
    }
    return "";
}

/// What is in doubt, the same for all points of which the machine's disturbance is.
std::string common_doubt(const analysis::ComparedPoint& point, const analysis::Comparison& comparison) {
    return point.doubt == analysis::Doubt::disturbed ? "the machine was disturbed"
                                                     : doubt_text(point, comparison);
}

/// What the words in a narrow table stand for, below it: each that says more than its word.
std::string doubts_below(const analysis::Comparison& comparison) {
    std::map<analysis::Doubt, std::string> reasons;
    for (const auto& point : comparison.points) {
        if (point.doubt) {
            reasons.emplace(*point.doubt, common_doubt(point, comparison));
        }
    }
    reasons.erase(analysis::Doubt::few_repetitions);  // clear by itself
    reasons.erase(analysis::Doubt::disturbed);        // has a sentence of its own
    std::string text;
    for (const auto& [doubt, reason] : reasons) {
        text += fmt::format("{}: {}\n", doubt_word(doubt), printable(reason));
    }
    return text;
}

Ink ink_of(analysis::Change verdict) {
    return verdict == analysis::Change::slower      ? Ink::red
           : verdict == analysis::Change::undecided ? Ink::yellow
           : verdict == analysis::Change::faster    ? Ink::green
                                                    : Ink::plain;
}

/// What columns are called: labels that tell the runs apart and leave room for others, or numbers.
std::pair<std::string, std::string> short_names(const analysis::Comparison& comparison) {
    constexpr std::size_t longest = 16;
    const auto& first = comparison.first.result.run;
    const auto& second = comparison.second.result.run;
    const auto name = [&](const analysis::MeasuredRun& run) {
        const auto& label = run.result.run.label;
        if (!label.empty() && label.size() <= longest && first.label != second.label) {
            return label;
        }
        return first.id == second.id ? run.name : fmt::format("run {}", run.result.run.id);
    };
    return {name(comparison.first), name(comparison.second)};
}

std::string medians_only_of(const analysis::Comparison& comparison) {
    return medians_only("compared", {&comparison.first, &comparison.second});
}

/// Beside the verdict in full, or in a word there and explained below the table.
enum class Reasons { beside, below };

std::string table_of(const analysis::Comparison& comparison, Reasons reasons, const Terminal& terminal) {
    const KeyColumns<analysis::PointKey> keys(
        comparison.points, [](const auto& point) -> const auto& { return point.key; });
    auto columns = keys.titles();
    const auto procs = columns.size() - 2;
    // What a terminal that is too narrow loses first: the change tells more than the times.
    enum Leaves { never, second, first };
    const auto [one, other] = short_names(comparison);
    const std::string_view what = medians_only_of(comparison).empty() ? "" : " median";
    columns.push_back({fmt::format("{}{}", one, what), Align::right, first});
    columns.push_back({fmt::format("{}{}", other, what), Align::right, second});
    columns.push_back({"change", Align::right, never});
    columns.push_back({"95% interval", Align::right, never});
    constexpr std::string_view verdicts = "verdict";
    columns.push_back({std::string(verdicts), Align::left});
    Table table(columns);
    for (const auto& point : comparison.points) {
        auto cells = keys.cells(point.key);
        if (point.key.procs != point.second_procs) {
            cells[procs] = fmt::format("{} / {}", point.key.procs, point.second_procs);
        }
        const TimesBeside times(point.first_median_ns);
        cells.push_back(marked(times.text(point.first_median_ns), point.first_quality));
        cells.push_back(marked(times.text(point.second_median_ns), point.second_quality));
        cells.push_back(point.ratio_known ? change_text(point.ratio) : "-");
        cells.push_back(!point.ratio_known                  ? "-"
                        : stats::is_open(point.ratio_range) ? "open"
                                                            : interval_text(point.ratio_ci95));
        const auto verdict = to_text(point.verdict);
        if (reasons == Reasons::below) {
            cells.push_back(point.doubt ? fmt::format("{} ({})", verdict, doubt_word(*point.doubt))
                                        : std::string(verdict));
            table.add(std::move(cells));
            table.paint(verdicts, ink_of(point.verdict));
        } else {
            const auto reason = doubt_text(point, comparison);
            table.add(std::move(cells),
                      reason.empty() ? std::string(verdict) : fmt::format("{} ({})", verdict, reason),
                      ink_of(point.verdict));
        }
    }
    return table.text(terminal) +
           (reasons == Reasons::below ? fitted(doubts_below(comparison), terminal) : "");
}

/// With reasons beside verdicts where every row has room for them.
std::string fitting_table(const analysis::Comparison& comparison, const Terminal& terminal) {
    auto whole = table_of(comparison, Reasons::beside, {});
    std::size_t widest = 0;
    for (const auto& line : split(whole, '\n')) {
        widest = std::max(widest, line.size());
    }
    const bool fits =
        terminal.table_columns <= 0 || widest <= static_cast<std::size_t>(terminal.table_columns);
    return table_of(comparison, fits ? Reasons::beside : Reasons::below, terminal);
}

std::string run_line(const analysis::MeasuredRun& run) {
    const auto& row = run.result.run;
    return fmt::format("{}: {}{}, {} {}, {}{}\n", printable_name(run.name),
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
    return text + medians_only_of(comparison) + "\n";
}

/// What intervals include because the runs were measured at different times, or why they do not.
std::string between_text(const analysis::TermBetweenRuns& term, bool launched_once) {
    if (term.in_turn) {
        return " Their launches alternated, so no variation between runs is added.";
    }
    const auto text_of = [&](const analysis::BetweenRuns& between_runs) {
        return launched_once && between_runs.source == analysis::BetweenRunsSource::assumed
                   ? fmt::format(
                         "{:.2g} % variation between runs (assumed; stored runs of several launches "
                         "show it)",
                         between_runs.percent())
                   : sentence_on(between_runs);
    };
    const auto first = text_of(term.first);
    const auto second = text_of(term.second);
    if (first.empty() && second.empty()) {
        return "";
    }
    const auto both = first == second || second.empty() ? first
                      : first.empty()                   ? second
                                                        : first + ", and " + second;
    return fmt::format(" Intervals and verdicts include {}.", both);
}

std::string scatter_text(const analysis::Comparison& comparison) {
    const auto& scatter = comparison.scatter;
    if (scatter.source == analysis::ScatterSource::launches) {
        return fmt::format("Launches of a run differ by {} (standard deviation, median over all points).{}",
                           percent_text(scatter.share), between_text(comparison.between_runs, false));
    }
    if (scatter.source == analysis::ScatterSource::table) {
        return fmt::format(
            "Each run was launched once; variation between launches is estimated at {} from the scatter of "
            "all "
            "points.{}",
            percent_text(scatter.share), between_text(comparison.between_runs, true));
    }
    if (scatter.source == analysis::ScatterSource::assumed) {
        return fmt::format(
            "Each run was launched once; variation between launches is assumed to be {}. Use --runs 5 to "
            "measure it.{}",
            percent_text(scatter.share), between_text(comparison.between_runs, true));
    }
    return "";
}

/// What one of the runs leaves out; nothing if it is nothing.
std::string left_out_of(const std::string& run, const std::vector<analysis::ComparedPoint>& points,
                        std::int64_t analysis::ComparedPoint::*set_aside,
                        analysis::LaunchCounts analysis::ComparedPoint::*launch_counts) {
    std::int64_t reps = 0;
    std::size_t without_some = 0;
    analysis::LaunchCounts worst;
    const auto share = [](const analysis::LaunchCounts& counts) {
        return static_cast<double>(counts.used) / static_cast<double>(counts.all());
    };
    for (const auto& point : points) {
        const auto& counts = point.*launch_counts;
        reps += point.*set_aside;
        without_some += counts.used < counts.all() ? std::size_t{1} : 0;
        worst = share(counts) < share(worst) ? counts : worst;
    }
    std::vector<std::string> parts;
    if (without_some > 0) {
        parts.push_back(fmt::format("launches of {} {} (at worst {} of {} count)", without_some,
                                    without_some == 1 ? "point" : "points", worst.used, worst.all()));
    }
    if (reps > 0) {
        parts.push_back(fmt::format("{} {}", count_text(reps), reps == 1 ? "repetition" : "repetitions"));
    }
    return parts.empty() ? "" : fmt::format("Left out of {}: {}.\n", printable(run), and_list(parts));
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
                     {"first_quality", point.first_quality},
                     {"second_quality", point.second_quality},
                     {"first_starts", point.first_launches},
                     {"second_starts", point.second_launches},
                     {"first_launches", launches_json(point.first_launch_counts)},
                     {"second_launches", launches_json(point.second_launch_counts)},
                     {"first_set_aside_reps", point.first_set_aside},
                     {"second_set_aside_reps", point.second_set_aside},
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

/// Points without a counterpart: each by name where they are few, else how many there are and the first.
std::string unmatched_text(const analysis::Comparison& comparison) {
    constexpr std::size_t most_named = 3;
    std::vector<std::pair<std::string, std::vector<std::string>>> lacks;
    for (const auto& point : comparison.unmatched) {
        auto lack = lack_text(point, comparison);
        const auto same = std::ranges::find(lacks, lack, [](const auto& one) { return one.first; });
        auto& points = same == lacks.end()
                           ? lacks.emplace_back(std::move(lack), std::vector<std::string>()).second
                           : same->second;
        points.push_back(to_text(point.key));
    }
    std::string text;
    for (const auto& [lack, points] : lacks) {
        if (points.size() <= most_named) {
            for (const auto& point : points) {
                text += fmt::format("Not compared: {}: {}.\n", point, printable(lack));
            }
        } else {
            text += fmt::format("Not compared: {}, and {} more: {}. --json names all.\n", points.front(),
                                points.size() - 1, printable(lack));
        }
    }
    return text;
}

/// Why points are undecided: the reason, or how many have which, the most frequent first.
std::string reasons_of(const analysis::Comparison& comparison) {
    std::map<std::string, std::size_t> counts;
    for (const auto& point : comparison.points) {
        if (point.verdict == analysis::Change::undecided) {
            ++counts[common_doubt(point, comparison)];
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
    auto text = unmatched_text(comparison);
    if (const auto disturbed = comparison.disturbed(); disturbed > 0) {
        text += fmt::format(
            "The machine was disturbed while {} of {} points were measured: repetitions around preemptions "
            "are set aside. Where one run lost more of them than the other, intervals are wider by what "
            "those can hide.\n",
            disturbed, comparison.points.size());
    }
    text += left_out_of(comparison.first.name, comparison.points, &analysis::ComparedPoint::first_set_aside,
                        &analysis::ComparedPoint::first_launch_counts);
    text += left_out_of(comparison.second.name, comparison.points, &analysis::ComparedPoint::second_set_aside,
                        &analysis::ComparedPoint::second_launch_counts);
    const auto doubtful = std::ranges::count_if(comparison.points, [](const auto& point) {
        return point.first_quality != analysis::Quality::good ||
               point.second_quality != analysis::Quality::good;
    });
    if (doubtful > 0) {
        text += fmt::format("{} unreliable: disturbed, or interval wide or missing ('fathom show').\n",
                            doubt_mark);
    }
    const auto scatter = scatter_text(comparison);
    text += (scatter.empty() ? "" : scatter + "\n") + printable(comparison_summary(comparison)) + "\n";
    return fitted(change_by_size_text(comparison) + "\n" + header_of(comparison), terminal) +
           fitting_table(comparison, terminal) + "\n" + fitted(text, terminal);
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
    json["in_turn"] = comparison.between_runs.in_turn;
    json["between_runs"] = {{"first", between_runs_json(comparison.between_runs.first)},
                            {"second", between_runs_json(comparison.between_runs.second)}};
    json["change_by_size"] = change_by_size_json(comparison);
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
