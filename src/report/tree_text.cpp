#include "report/tree_text.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "base/printable.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "report/paragraph.hpp"
#include "report/point_key.hpp"
#include "report/table.hpp"

namespace fathom::report {
namespace {

using tree::Node;
using tree::NodeIndex;

/// Rows of a table that fit on a screen with another one; the others are counted.
constexpr std::size_t usual_rows = 12;

std::string percent_cell_of(double share) {
    constexpr double percent = 100;
    return fmt::format("{:.1f} %", percent * share);
}

std::string median_cell(const std::optional<tree::StageSummary>& summary) {
    return summary ? time_text(summary->median_ns) : "-";
}

std::string mean_cell(const std::optional<tree::StageSummary>& summary) {
    return summary ? time_text(summary->mean_ns) : "-";
}

std::string tail_cell(const std::optional<tree::StageSummary>& summary) {
    return summary ? time_text(summary->p99_ns) : "-";
}

std::string interval_cell(const tree::StageSummary& summary) {
    return summary.median_ci95_ns
               ? time_interval_text(summary.median_ci95_ns->low, summary.median_ci95_ns->high)
               : "-";
}

/// `+1.20 us`
std::string change_cell(double ns) {
    return fmt::format("{}{}", ns < 0 ? "-" : ns > 0 ? "+" : "", time_text(std::abs(ns)));
}

std::string calls_text(std::size_t calls) {
    return count_text(static_cast<std::int64_t>(calls));
}

/// A table of rows of which the first ones matter most.
class CutTable {
  public:
    CutTable(std::vector<Table::Column> columns, bool all) : table_(std::move(columns)), all_(all) {}

    /// A row to `keep` is never cut.
    void add(std::vector<std::string> cells, std::string rest = {}, Ink ink = Ink::plain, bool keep = false) {
        if (all_ || keep || rows_ < usual_rows) {
            table_.add(std::move(cells), std::move(rest), ink);
            ++shown_;
        }
        ++rows_;
    }
    [[nodiscard]] std::string text(const std::string& title, const Terminal& terminal) const {
        if (rows_ == 0) {
            return {};
        }
        const auto left = rows_ - shown_;
        return fmt::format("\n{}\n{}{}", title, table_.text(terminal),
                           left > 0 ? fmt::format("{} more with --all.\n", calls_text(left)) : "");
    }

  private:
    Table table_;
    bool all_;
    std::size_t rows_ = 0;
    std::size_t shown_ = 0;
};

using Align = Table::Align;

std::string head_of_tree(const tree::TreeAnalysis& analysis) {
    auto text =
        fmt::format("{} traced", analysis.calls == 1 ? "1 call" : calls_text(analysis.calls) + " calls");
    if (analysis.tree) {
        text += fmt::format("; the tree takes {} from the last entry to the last departure ({}), p99 {}",
                            time_text(analysis.tree->median_ns), interval_cell(*analysis.tree),
                            time_text(analysis.tree->p99_ns));
    }
    text += ".\n";
    if (const auto gaps = gaps_text(analysis); !gaps.empty()) {
        text += fmt::format("Note: {}.\n", gaps);
    }
    return text;
}

std::string advice_text(const tree::TreeAnalysis& analysis) {
    std::string text;
    if (analysis.balance) {
        text += "\n" + paragraph(conclusion(analysis.index, *analysis.balance));
    }
    if (!analysis.advice.empty()) {
        text += "\nWhat to change\n";
        for (const auto& advice : analysis.advice) {
            text += paragraph(sentence(analysis.index, advice));
        }
    }
    return text;
}

std::string critical_text(const tree::TreeAnalysis& analysis, const Terminal& terminal, bool all) {
    const auto& critical = analysis.critical;
    CutTable stages({{"stage", Align::left},
                     {"on the path in", Align::right},
                     {"mean there", Align::right},
                     {"share", Align::right}},
                    all);
    for (const auto& [stage, cost] : critical.stages) {
        stages.add({stage_text(analysis.index, stage),
                    percent_cell_of(static_cast<double>(cost.calls) / static_cast<double>(critical.calls)),
                    time_text(cost.total_ns / static_cast<double>(cost.calls)), percent_cell_of(cost.share)});
    }
    auto text = stages.text("Critical path, what costs most first", terminal);
    CutTable leaves({{"path", Align::left},
                     {"slowest in", Align::right},
                     {"without arrival waits", Align::right},
                     {"in the call", Align::right}},
                    all);
    for (const auto& [leaf, share] : critical.slowest) {
        const auto path = std::ranges::find(analysis.paths, leaf, &tree::PathResult::leaf);
        if (path != analysis.paths.end()) {
            leaves.add({node_text(analysis.index, leaf), percent_cell_of(share),
                        time_text(path->without_waits.median_ns), time_text(path->in_call.median_ns)});
        }
    }
    return text + leaves.text("Which path was the slowest in a call", terminal);
}

std::string clusters_text(const tree::TreeAnalysis& analysis, const Terminal& terminal, bool all) {
    CutTable table({{"representative", Align::left},
                    {"paths", Align::right},
                    {"mean", Align::right},
                    {"slowest in", Align::right},
                    {"", Align::left}},
                   all);
    for (const auto& cluster : analysis.clusters) {
        table.add({node_text(analysis.index, cluster.representative),
                   count_text(static_cast<std::int64_t>(cluster.leaves.size())), time_text(cluster.mean_ns),
                   percent_cell_of(cluster.slowest_share), cluster.fast ? "fast" : ""});
    }
    auto text = table.text("Paths with the same behaviour, without arrival waits", terminal);
    std::size_t shown = 0;
    for (std::size_t i = 0; i < analysis.clusters.size(); ++i) {
        constexpr std::size_t usual_breakdowns = 3;
        if (!all && (analysis.clusters[i].fast || shown == usual_breakdowns)) {
            continue;
        }
        ++shown;
        text += "\n" + breakdown_text(analysis.index, analysis.breakdowns[i], terminal);
    }
    return text;
}

std::string edges_table(const tree::TreeAnalysis& analysis, const Terminal& terminal, bool all) {
    CutTable table({{"edge", Align::left},
                    {"kind", Align::left},
                    {"two-way", Align::right},
                    {"p99", Align::right},
                    {"down", Align::right},
                    {"up", Align::right},
                    {"known to", Align::right}},
                   all);
    auto edges = analysis.edges;
    std::stable_sort(edges.begin(), edges.end(), [](const auto& a, const auto& b) {
        const auto time = [](const tree::EdgeResult& edge) {
            const auto& first = edge.two_way ? edge.two_way : edge.down ? edge.down : edge.up;
            return first ? first->mean_ns : 0.0;
        };
        return time(a) > time(b);
    });
    for (const auto& edge : edges) {
        table.add({fmt::format("{} to {}", node_text(analysis.index, edge.node),
                               node_text(analysis.index, analysis.index.parent(edge.node))),
                   std::string(to_text(edge.kind)), median_cell(edge.two_way), tail_cell(edge.two_way),
                   median_cell(edge.down), median_cell(edge.up),
                   edge.clock_bound.count > 0 ? "+- " + time_text(static_cast<double>(edge.clock_bound.count))
                                              : "exactly"});
    }
    return table.text("Edges: medians; one way by the global clock", terminal);
}

std::string joins_table(const tree::TreeAnalysis& analysis, const Terminal& terminal, bool all) {
    CutTable joins({{"join", Align::left},
                    {"rank", Align::right},
                    {"contributors", Align::right},
                    {"down", Align::right},
                    {"p99", Align::right},
                    {"up", Align::right},
                    {"p99", Align::right},
                    {"last departure", Align::right}},
                   all);
    CutTable contributors({{"contributor", Align::left},
                           {"at join", Align::left},
                           {"arrival wait", Align::right},
                           {"last in", Align::right},
                           {"departure wait", Align::right},
                           {"first in", Align::right}},
                          all);
    for (const auto& join : analysis.joins) {
        joins.add({printable_name(analysis.index.name(join.node)),
                   fmt::format("{}", analysis.index.rank(join.node)),
                   count_text(static_cast<std::int64_t>(join.contributors.size())), median_cell(join.down),
                   tail_cell(join.down), median_cell(join.up), tail_cell(join.up),
                   join.serialisation.empty() ? "-" : time_text(join.serialisation.back().mean_ns)});
        for (const auto& contributor : join.contributors) {
            const auto share_of = [](const std::vector<double>& order, double count) {
                double sum = 0;
                for (const double calls : order) {
                    sum += calls;
                }
                return sum > 0 ? percent_cell_of(count / sum) : std::string("-");
            };
            contributors.add(
                {node_text(analysis.index, contributor.node), printable_name(analysis.index.name(join.node)),
                 mean_cell(contributor.arrival_wait),
                 share_of(contributor.arrival_order, contributor.last_arrivals),
                 mean_cell(contributor.departure_wait),
                 contributor.departure_order.empty()
                     ? "-"
                     : share_of(contributor.departure_order, contributor.departure_order.front())});
        }
    }
    auto text =
        joins.text("Joins: medians; last departure is the mean of up latency and departure wait", terminal);
    if (analysis.store) {
        text += fmt::format("Store at the root: {} (p99 {}).\n", time_text(analysis.store->median_ns),
                            time_text(analysis.store->p99_ns));
    }
    return text + contributors.text("Waits at joins: means", terminal);
}

std::string disturbances_text(const tree::TreeAnalysis& analysis, bool all) {
    std::string text;
    const auto shown = all ? analysis.outliers.size() : std::min(usual_rows, analysis.outliers.size());
    for (std::size_t i = 0; i < shown; ++i) {
        text += paragraph(sentence(analysis.index, analysis.outliers[i]) + ".");
    }
    if (shown < analysis.outliers.size()) {
        text += fmt::format("  {} more with --all.\n", calls_text(analysis.outliers.size() - shown));
    }
    for (const auto& periodic : analysis.periodic) {
        text += paragraph(sentence(periodic) + ".");
    }
    return text.empty() ? text : "\nOutliers\n" + text;
}

/// A stage or path of two trees.
struct ComparisonRow {
    double change_ns = 0;
    std::vector<std::string> cells;
    std::string verdict;
    Ink ink = Ink::plain;
    bool keep = false;
};

ComparisonRow compared_row(const tree::ComparedPart& part) {
    const bool slower = part.change == analysis::Change::slower;
    const double change = part.second_ns - part.first_ns;
    return {.change_ns = change,
            .cells = {part_text(part), time_text(part.first_ns), time_text(part.second_ns),
                      change_cell(change), part.ratio ? fmt::format("{:.3f}", *part.ratio) : "-",
                      part.ratio_ci95
                          ? fmt::format("{:.3f} .. {:.3f}", part.ratio_ci95->low, part.ratio_ci95->high)
                          : "-"},
            .verdict = part_verdict_text(part),
            .ink = slower ? Ink::red : Ink::plain,
            .keep = slower && part.unchanged};
}

ComparisonRow lone_row(const tree::LonePart& part, const TreeNames& names, bool first) {
    const auto time = time_text(part.median_ns);
    const double change = first ? -part.median_ns : part.median_ns;
    return {.change_ns = change,
            .cells = {part_text(part), first ? time : "-", first ? "-" : time, change_cell(change), "-", "-"},
            .verdict = lone_text(names, first)};
}

CutTable comparison_table(const char* what, const TreeNames& names, std::vector<ComparisonRow> rows,
                          bool all) {
    CutTable table({{what, Align::left},
                    {names.first, Align::right},
                    {names.second, Align::right},
                    {"change", Align::right},
                    {"ratio", Align::right},
                    {"95 % interval", Align::right},
                    {"verdict", Align::left}},
                   all);
    std::ranges::stable_sort(rows, std::greater<>(),
                             [](const ComparisonRow& row) { return std::abs(row.change_ns); });
    for (auto& row : rows) {
        table.add(std::move(row.cells), std::move(row.verdict), row.ink, row.keep);
    }
    return table;
}

}  // namespace

std::string breakdown_text(const NodeIndex& index, const tree::Breakdown& breakdown,
                           const Terminal& terminal) {
    Table table({{"stage", Align::left},
                 {"mean", Align::right},
                 {"median", Align::right},
                 {"deviation", Align::right},
                 {"p99", Align::right},
                 {"share", Align::right}});
    for (const auto& cost : breakdown.hot_first) {
        table.add({stage_text(index, cost.stage), time_text(cost.time.mean_ns),
                   time_text(cost.time.median_ns), time_text(cost.time.deviation_ns),
                   time_text(cost.time.p99_ns), percent_cell_of(cost.share)});
    }
    return fmt::format("Path of {}: {} on average, hot spots first\n", node_text(index, breakdown.node),
                       time_text(breakdown.mean_ns)) +
           table.text(terminal);
}

std::string subtree_text(const NodeIndex& index, Node join, const std::vector<tree::KindCost>& costs,
                         const Terminal& terminal) {
    Table table({{"stage", Align::left},
                 {"how many", Align::right},
                 {"mean of all", Align::right},
                 {"mean of the slowest", Align::right},
                 {"which is", Align::left}});
    for (const auto& cost : costs) {
        table.add({std::string(to_text(cost.kind)), count_text(static_cast<std::int64_t>(cost.stages)),
                   time_text(cost.mean_ns), time_text(cost.worst_ns), node_text(index, cost.worst)});
    }
    return fmt::format("Subtree of {}, hot spots first\n", node_text(index, join)) + table.text(terminal);
}

std::string tree_analysis_text(const tree::TreeAnalysis& analysis, const Terminal& terminal, bool all) {
    if (analysis.calls == 0) {
        return "No call was traced.\n";
    }
    return fitted(head_of_tree(analysis), terminal) + advice_text(analysis) +
           critical_text(analysis, terminal, all) + clusters_text(analysis, terminal, all) +
           edges_table(analysis, terminal, all) + joins_table(analysis, terminal, all) +
           disturbances_text(analysis, all);
}

std::string tree_comparison_text(const TreeNames& names, const tree::TreeComparison& comparison,
                                 const Terminal& terminal, bool all) {
    std::vector<ComparisonRow> stages;
    std::vector<ComparisonRow> paths;
    for (const auto& part : comparison.parts) {
        const bool changed =
            part.change == analysis::Change::faster || part.change == analysis::Change::slower;
        if (part.kind != tree::ComparedKind::tree && (all || changed)) {
            const bool path =
                part.kind == tree::ComparedKind::path || part.kind == tree::ComparedKind::slowest_path;
            (path ? paths : stages).push_back(compared_row(part));
        }
    }
    for (const bool first : {true, false}) {
        for (const auto& part : first ? comparison.parts_of_first : comparison.parts_of_second) {
            if (all || part.median_ns > 0) {
                stages.push_back(lone_row(part, names, first));
            }
        }
    }
    const auto title = [&](const char* what) {
        return all ? fmt::format("{}, the largest change in time first", what)
                   : fmt::format("{} that changed, most time first", what);
    };
    auto text = paragraph(conclusion(names, comparison)) +
                comparison_table("stage", names, std::move(stages), all).text(title("Stages"), terminal) +
                comparison_table("path", names, std::move(paths), all)
                    .text(title("Paths without arrival waits"), terminal);
    const auto alone = [](const std::string& which, const std::vector<std::string>& joins) {
        std::vector<std::string> printed;
        for (const auto& name : joins) {
            printed.push_back(printable_name(name));
        }
        return joins.empty() ? std::string()
                             : paragraph(fmt::format("Joins of {} alone: {}.", printable_name(which),
                                                     and_list(printed)));
    };
    const auto joins =
        alone(names.first, comparison.only_first) + alone(names.second, comparison.only_second);
    return joins.empty() ? text : text + "\n" + joins;
}

std::string tree_speedups_text(const TreeNames& names, const std::vector<ComparedTreePoint>& points,
                               const Terminal& terminal) {
    const KeyColumns<plan::PointKey> key_columns(points, [](const auto& point) { return point.key; });
    auto columns = key_columns.titles();
    for (const auto& title : {names.first, names.second}) {
        columns.push_back({title, Align::right});
    }
    columns.insert(columns.end(),
                   {{"faster", Align::left}, {"times", Align::right}, {"95 % interval", Align::right}});
    Table table(std::move(columns));
    for (const auto& point : points) {
        auto cells = key_columns.cells(point.key);
        const auto* const whole = tree::whole_tree(point.comparison);
        if (whole == nullptr) {
            cells.insert(cells.end(), {"-", "-", "no complete call", "-", "-"});
        } else {
            const auto speedup = tree::speedup_of(*whole);
            const auto faster = faster_name(names, point.comparison);
            cells.insert(cells.end(),
                         {time_text(whole->first_ns), time_text(whole->second_ns),
                          faster.empty() ? std::string(to_text(whole->change)) : faster,
                          speedup ? fmt::format("{:.2f}", speedup->factor) : "-",
                          speedup && speedup->ci95
                              ? fmt::format("{:.2f} .. {:.2f}", speedup->ci95->low, speedup->ci95->high)
                              : "-"});
        }
        table.add(std::move(cells));
    }
    return table.text(terminal);
}

}  // namespace fathom::report
