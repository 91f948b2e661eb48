#include "report/overlap_text.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "analysis/curves/trusted_studies.hpp"
#include "analysis/overlap/rounds.hpp"
#include "base/printable.hpp"
#include "plan/operations.hpp"
#include "report/overlap_point_text.hpp"
#include "report/plot.hpp"
#include "report/sentences/curves.hpp"
#include "report/sentences/overlap.hpp"
#include "report/table.hpp"

namespace fathom::report {
namespace {

using analysis::PointResult;
using analysis::Reduced;
using Align = Table::Align;

/// The points of one table.
using Points = std::vector<const PointResult*>;

/// What the points of one table share: everything but size and progress.
plan::PointKey of_any(const plan::PointKey& key) {
    auto shared = of_size(key, {});
    shared.progress.clear();
    return shared;
}

std::vector<Points> by_operation(const std::vector<PointResult>& points) {
    std::vector<Points> tables;
    for (const auto& point : points) {
        if (!point.overlap) {
            continue;
        }
        const auto same = std::find_if(tables.begin(), tables.end(), [&](const Points& table) {
            return of_any(table.front()->key) == of_any(point.key);
        });
        if (same == tables.end()) {
            tables.push_back({&point});
        } else {
            same->push_back(&point);
        }
    }
    return tables;
}

bool with_threads(const Points& points) {
    return std::any_of(points.begin(), points.end(),
                       [](const auto* point) { return !point->key.progress.empty(); });
}

std::string none_remark(const analysis::Overhead& overhead) {
    return overhead.availability && analysis::includes_none(*overhead.availability)
               ? "availability is not distinguishable from none"
               : "";
}

std::string first_reason(const PointResult& point) {
    return point.overlap->reasons.empty() ? "" : sentence(point.overlap->reasons.front());
}

std::int64_t tests_of(const Points& points) {
    std::int64_t most = 0;
    for (const auto* point : points) {
        most = std::max(most, point->overlap->best_tests());
    }
    return most;
}

/// As the figures 3 to 6 of Doerfler and Brightwell.
std::string message_table(const Points& points, const Terminal& terminal) {
    const bool threads = with_threads(points);
    const auto tests = tests_of(points);
    std::vector<Table::Column> columns{{"bytes", Align::right}};
    if (threads) {
        columns.push_back({"progress", Align::left});
    }
    for (const char* title : {"base", "overhead", "95% interval", "availability", "95% interval"}) {
        columns.push_back({title, Align::right});
    }
    if (tests > 0) {
        columns.push_back({fmt::format("{} tests: overhead", tests), Align::right});
        columns.push_back({"availability", Align::right});
    }
    Table table(columns);
    for (const auto* point : points) {
        std::vector<std::string> cells{exact_text(point->key.size)};
        if (threads) {
            cells.push_back(point->key.progress.empty() ? "library" : point->key.progress);
        }
        const auto& message = point->overlap->message;
        if (!message) {
            table.add(std::move(cells), first_reason(*point), Ink::yellow);
            continue;
        }
        cells.push_back(time_cell(message->base_ns));
        const auto& plain = message->plain;
        if (!plain.overhead_ns) {
            table.add(std::move(cells), first_reason(*point), Ink::yellow);
            continue;
        }
        cells.insert(cells.end(), {time_cell(plain.overhead_ns), time_interval_cell(plain.overhead_ns),
                                   share_cell(plain.availability), share_interval_cell(plain.availability)});
        if (tests > 0) {
            cells.insert(cells.end(), {time_cell(message->with_tests.overhead_ns),
                                       share_cell(message->with_tests.availability)});
        }
        table.add(std::move(cells), none_remark(plain));
    }
    return table.text(terminal);
}

const PointResult* with_thread(const Points& points, const PointResult& point) {
    const auto found = std::find_if(points.begin(), points.end(), [&](const auto* other) {
        return !other->key.progress.empty() && other->key.size == point.key.size;
    });
    return found == points.end() || *found == &point ? nullptr : *found;
}

/// As figure 11 of Hoefler, Schneider and Lumsdaine: one row per size; progress by nothing, by tests, by a
/// thread.
std::string collective_table(const Points& points, const Terminal& terminal) {
    const bool threads = with_threads(points);
    const bool only_threads = std::all_of(points.begin(), points.end(),
                                          [](const auto* point) { return !point->key.progress.empty(); });
    std::vector<Table::Column> columns{{"bytes", Align::right}};
    for (const char* title : {"t_b", "by time", "by work", "95% interval", "availability", "stolen",
                              "best tests", "by time", "by work", "availability"}) {
        columns.push_back({title, Align::right});
    }
    if (threads && !only_threads) {
        for (const char* title : {"thread: by time", "by work", "stolen"}) {
            columns.push_back({title, Align::right});
        }
    }
    Table table(columns);
    for (const auto* point : points) {
        if (!point->key.progress.empty() && !only_threads) {
            continue;  // beside the one without
        }
        std::vector<std::string> cells{
            plan::find_operation(point->key.operation).sized ? exact_text(point->key.size) : "-"};
        const auto& collective = point->overlap->collective;
        if (!collective || !collective->t_b_ns) {
            table.add(std::move(cells), first_reason(*point), Ink::yellow);
            continue;
        }
        const auto& plain = collective->plain;
        cells.insert(
            cells.end(),
            {time_cell(collective->t_b_ns), time_cell(plain.time_based.overhead_ns),
             time_cell(plain.work_based.overhead_ns), time_interval_cell(plain.work_based.overhead_ns),
             share_cell(plain.work_based.availability), percent_cell(plain.stolen_share)});
        if (collective->best) {
            const auto& best = collective->intervals[*collective->best];
            cells.insert(cells.end(),
                         {tests_cell(best), time_cell(best.time_based.overhead_ns),
                          time_cell(best.work_based.overhead_ns), share_cell(best.work_based.availability)});
        } else {
            cells.insert(cells.end(), {"-", "-", "-", "-"});
        }
        if (threads && !only_threads) {
            const auto* other = with_thread(points, *point);
            if (other && other->overlap->collective) {
                const auto& by_thread = other->overlap->collective->plain;
                cells.insert(cells.end(), {time_cell(by_thread.time_based.overhead_ns),
                                           time_cell(by_thread.work_based.overhead_ns),
                                           percent_cell(by_thread.stolen_share)});
            } else {
                cells.insert(cells.end(), {"-", "-", "-"});
            }
        }
        table.add(std::move(cells), none_remark(plain.work_based));
    }
    return table.text(terminal);
}

std::string byte_label(double power) {
    return to_text(Bytes{std::llround(std::exp2(power))});
}

std::string share_label(double share) {
    return fmt::format("{:.2f}", share);
}

/// Availability against size, where there are enough sizes and differences to see something. What noise put
/// far off would hide the rest.
std::string availability_plot(const Points& points) {
    constexpr std::size_t enough = 5;
    constexpr double lowest = -1;
    constexpr double highest = 2;
    constexpr double visible = 0.02;
    std::vector<Dot> dots;
    std::size_t far_off = 0;
    for (const auto* point : points) {
        const auto* plain = point->overlap->plain();
        if (!plain || !plain->availability || !point->key.progress.empty() || point->key.size.count == 0) {
            continue;
        }
        const double share = plain->availability->value;
        if (share < lowest || share > highest) {
            ++far_off;
        } else {
            dots.push_back({.x = std::log2(static_cast<double>(point->key.size.count)), .y = share});
        }
    }
    const auto [least, most] =
        std::minmax_element(dots.begin(), dots.end(), [](const Dot& a, const Dot& b) { return a.y < b.y; });
    if (dots.size() < enough || most->y - least->y < visible) {
        return {};
    }
    return fmt::format("Availability against size{}\n{}",
                       far_off > 0 ? fmt::format(" ({} far outside omitted)", far_off) : "",
                       scatter_plot(dots, byte_label, share_label));
}

/// What a reader of the table should know of single sizes.
std::string reasons_text(const Points& points) {
    constexpr std::size_t most = 6;
    std::vector<std::string> lines;
    for (const auto* point : points) {
        const auto* plain = point->overlap->plain();
        for (const auto& reason : point->overlap->reasons) {
            // What has no figures has its reason in the table.
            if (plain && plain->overhead_ns) {
                lines.push_back(fmt::format("{}: {}", exact_text(point->key.size), sentence(reason)));
            }
        }
    }
    std::string text;
    for (std::size_t i = 0; i < std::min(most, lines.size()); ++i) {
        text += fmt::format("  {}\n", lines[i]);
    }
    return text + (lines.size() > most
                       ? fmt::format("  and {} more like this, all in --json\n", lines.size() - most)
                       : "");
}

/// Verdicts on progress: of the first size, and of each that has another one than the size before. Sizes
/// whose studies cannot be relied on are only counted.
std::string verdicts_text(const Points& points) {
    std::string text;
    std::size_t left_out = 0;
    auto last = analysis::ProgressVerdict::unknown;
    for (const auto* point : points) {
        const auto kind = point->overlap->progress;
        if (kind == analysis::ProgressVerdict::unknown || !point->key.progress.empty()) {
            continue;
        }
        if (analysis::doubt_of(*point)) {
            ++left_out;
        } else if (kind != last) {
            const bool sized = plan::find_operation(point->key.operation).sized;
            text += fmt::format("  {}{}.\n",
                                sized ? fmt::format("from {} on: ", exact_text(point->key.size)) : "",
                                progress_sentence(*point));
            last = kind;
        }
    }
    if (left_out > 0) {
        text += fmt::format("  {} {} out: disturbed, imprecise, or with an availability outside 0 to 1.\n",
                            left_out, left_out == 1 ? "point is left" : "points are left");
    }
    return text.empty() ? "" : "Progress\n" + text;
}

/// Where the ranks of a collective differ: those with the least and the most availability.
std::string ranks_text(const Points& points) {
    std::string text;
    for (const auto* point : points) {
        const analysis::RankOverlap* least = nullptr;
        const analysis::RankOverlap* most = nullptr;
        if (point->overlap->collective && !analysis::doubt_of(*point)) {
            for (const auto& rank : point->overlap->collective->ranks) {
                if (!rank.availability || !analysis::in_range(*rank.availability)) {
                    continue;
                }
                least = !least || rank.availability->value < least->availability->value ? &rank : least;
                most = !most || rank.availability->value > most->availability->value ? &rank : most;
            }
        }
        if (least && most && analysis::disjoint(*least->availability, *most->availability)) {
            text += fmt::format(
                "  {}{}: {} on rank {} to {} on rank {}\n",
                plan::find_operation(point->key.operation).sized ? exact_text(point->key.size) : "all",
                point->key.progress.empty() ? "" : ", progress " + printable_name(point->key.progress),
                share_cell(least->availability), least->rank, share_cell(most->availability), most->rank);
        }
    }
    return text.empty() ? "" : "Availability differs between ranks\n" + text;
}

/// The reason why none of the points has figures, where it is one.
std::string common_reason(const Points& points) {
    const auto& reasons = points.front()->overlap->reasons;
    const bool common = !reasons.empty() && std::all_of(points.begin(), points.end(), [&](const auto* point) {
        const auto& own = point->overlap->reasons;
        return !point->overlap->plain() && !own.empty() && own.front() == reasons.front();
    });
    return common ? sentence(reasons.front()) : "";
}

/// Where the base ends and the work stops growing, by which these figures were taken.
std::string thresholds_text(const Points& points) {
    std::optional<double> least;
    double most = 0;
    double stop = 0;
    for (const auto* point : points) {
        if (const auto& message = point->overlap->message) {
            least = std::min(least.value_or(message->base_threshold), message->base_threshold);
            most = std::max(most, message->base_threshold);
            stop = message->stop_threshold;
        }
    }
    if (!least) {
        return {};
    }
    const auto base =
        *least == most ? fmt::format("{:.3g}", most) : fmt::format("{:.3g} to {:.3g}", *least, most);
    return fmt::format(
        "  Times up to {} times the base count as base; the work grows until a time reaches {:.3g} times the "
        "base.\n",
        base, stop);
}

std::string one_table(const Points& points, const Terminal& terminal) {
    const auto& first = *points.front();
    const bool messages = plan::find_operation(first.key.operation).of_two();
    const auto reason = common_reason(points);
    const auto what = !reason.empty() ? reason
                      : messages
                          ? "post, work, wait; overhead is the time that remains besides the work"
                          : "overhead besides work of t_b, by time (the calls) and by work (whole - work)";
    auto text = fmt::format("\n{}: {}\n", curve_text(of_any(first.key)), what);
    if (!reason.empty()) {
        return text;
    }
    text += messages ? message_table(points, terminal) : collective_table(points, terminal);
    text += thresholds_text(points) + reasons_text(points) + ranks_text(points) + verdicts_text(points);
    return text + (messages ? availability_plot(points) : "");
}

std::string boundaries_text(const analysis::RunResult& result) {
    std::string text = result.boundaries.empty() ? "" : "\nProtocol boundaries\n";
    for (std::size_t i = 0; i < result.boundaries.size(); ++i) {
        text += fmt::format("  {}. {}.\n", i + 1, sentence(result.boundaries[i]));
    }
    return text;
}

std::string loggp_text(const std::vector<analysis::LogGp>& all, const Terminal& terminal) {
    std::string text;
    for (const auto& parameters : all) {
        if (const auto reason = reason_of(parameters); !reason.empty()) {
            text += fmt::format("\n{}.\n", reason);
            continue;
        }
        Table table({{"from", Align::right},
                     {"to", Align::right},
                     {"L", Align::right},
                     {"o_s", Align::right},
                     {"o_r", Align::right},
                     {"g", Align::right},
                     {"G by byte", Align::right}});
        const auto cell = [](const std::optional<Reduced>& figure) {
            return figure ? figure_text(*figure) : std::string("-");
        };
        for (const auto& range : parameters.ranges) {
            table.add(
                {to_text(range.from), to_text(range.to), cell(range.latency_ns), cell(range.send_overhead_ns),
                 cell(range.receive_overhead_ns), cell(range.gap_ns), per_byte_cell(range.gap_per_byte_ns)},
                reason_of(range));
        }
        text += fmt::format(
            "\nLogGP, {} processes: latency, overheads (median over sizes), gap, with 95% "
            "intervals\n{}",
            parameters.procs, table.text(terminal));
    }
    return text;
}

}  // namespace

std::string overlap_text(const analysis::RunResult& result, const Terminal& terminal) {
    std::string text;
    for (const auto& points : by_operation(result.points)) {
        text += one_table(points, terminal);
    }
    if (result.points.size() == 1 && result.points.front().overlap) {
        text += overlap_point_text(*result.points.front().overlap, terminal);
    }
    return text + boundaries_text(result) + loggp_text(result.loggp, terminal);
}

}  // namespace fathom::report
