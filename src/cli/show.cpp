#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <unistd.h>

#include <fmt/format.h>

#include "analysis/run/run_result.hpp"
#include "base/printable.hpp"
#include "cli/command_line.hpp"
#include "cli/stored_run.hpp"
#include "journal/json.hpp"
#include "plan/operations.hpp"
#include "plan/setting_values.hpp"
#include "report/csv.hpp"
#include "report/curves.hpp"
#include "report/json.hpp"
#include "report/notes.hpp"
#include "report/output.hpp"
#include "report/paragraph.hpp"
#include "report/point_analyses/point_analyses.hpp"
#include "report/run_text.hpp"
#include "report/scaling.hpp"
#include "report/tree_text.hpp"
#include "store/store.hpp"
#include "tree/analysis/stored_calls.hpp"
#include "tree/analysis/tree_analysis.hpp"

namespace fathom::cli {
namespace {

struct ShowOptions {
    std::string run = "last";
    std::string db;
    bool json = false;
    bool plan = false;
    std::string over_ranks;
    std::string over_reps;
    std::string ranks;
    std::string operation;
    std::string size;
    bool notes = false;
    bool wide = false;
    bool plot = false;
    bool csv = false;
    std::map<std::string_view, bool> asked;  ///< by option: rows of tables
};

/// Reads an option with a mend of its own.
template <typename Read>
void take(const std::string& option, const std::string& text, Read read) {
    if (text.empty()) {
        return;
    }
    try {
        read(text);
    } catch (const BadInput& mend) {
        throw BadInput(fmt::format("{} is \"{}\"; {}.", option, text, mend.what()));
    }
}

analysis::View view_of(const ShowOptions& options) {
    analysis::View view;
    take("--over-ranks", options.over_ranks,
         [&](const auto& text) { view.over_ranks = plan::one_of<plan::OverRanks>(text); });
    take("--over-reps", options.over_reps,
         [&](const auto& text) { view.over_reps = stats::Reduction::parse(text); });
    take("--ranks", options.ranks, [&](const auto& text) { view.ranks = analysis::RankSet::parse(text); });
    return view;
}

std::string environment_text(const store::Store& store, const analysis::RunResult& result,
                             const report::Terminal& /*terminal*/) {
    std::string text;
    for (const auto& rank : store.ranks(result.run.id)) {
        text += fmt::format(
            "rank {}: {} pid {}{}{}{}\n", rank.rank, printable_name(rank.host), rank.pid,
            rank.binding.empty() ? "" : fmt::format(" on processors {}", printable_name(rank.binding)),
            rank.socket < 0 ? "" : fmt::format(", socket {}", rank.socket),
            rank.numa_node < 0 ? "" : fmt::format(", NUMA node {}", rank.numa_node));
    }
    for (const auto& [host, facts] : store.environment(result.run.id)) {
        text += fmt::format("{}\n", host.empty() ? "job" : printable_name(host));
        for (const auto& [key, value] : facts) {
            text += fmt::format("  {}: {}\n", printable_name(key), printable(value));
        }
    }
    return text;
}

std::string trees_text(const store::Store& store, const analysis::RunResult& result,
                       const report::Terminal& terminal) {
    std::string text;
    for (const auto& point : tree::traced_points(store, result.run)) {
        const auto trace = tree::read_trace(store, result.run, point);
        const tree::StageTimes times(trace.index, trace.calls);
        text +=
            fmt::format("\n{}\n{}", report::bold(to_text(point.key), terminal),
                        report::tree_analysis_text(tree::analyse(times, &trace.evidence), terminal, false));
    }
    return text.empty() ? "\nNo call over a tree was traced.\n" : text;
}

/// What can be shown of a whole run below its points.
struct Section {
    const char* option;
    const char* help;
    std::string (*text)(const store::Store& store, const analysis::RunResult& result,
                        const report::Terminal& terminal);
};

constexpr std::array sections{
    Section{"--scaling", "bandwidth, anomalies and guidelines over sizes and process counts",
            [](const store::Store& /*store*/, const analysis::RunResult& result,
               const report::Terminal& terminal) { return report::scaling_text(result.scaling, terminal); }},
    Section{"--trees", "what each part of a tree costs, from traced calls", trees_text},
    Section{"--environment", "also hosts, processes and settings", environment_text},
};

/// The points that were asked for; empty: all.
std::function<bool(const plan::PointKey&)> selection_of(const ShowOptions& options) {
    if (options.operation.empty() && options.size.empty()) {
        return {};
    }
    std::optional<Bytes> size;
    take("--size", options.size, [&](const auto& text) { size = parse_bytes(text); });
    const auto operation =
        options.operation.empty() ? std::string_view() : plan::operation_given(options.operation).name;
    return [operation, size](const plan::PointKey& key) {
        return (operation.empty() || key.operation == operation) && (!size || key.size == *size);
    };
}

/// How many points of a run are selected, however many launches measured each.
std::size_t points_in(const store::Store& store, std::int64_t run,
                      const std::function<bool(const plan::PointKey&)>& select) {
    std::set<plan::PointKey> keys;
    for (const auto& point : store.points(run)) {
        if (point.damage.empty() && (!select || select(point.key))) {
            keys.insert(point.key);
        }
    }
    return keys.size();
}

bool explains(const ShowOptions& options) {
    const auto asked = options.asked.find("--explain");
    return asked != options.asked.end() && asked->second;
}

ExitStatus show(const ShowOptions& options) {
    const auto store = store::Store::open(options.db);
    const auto run = store.find_run(options.run);
    if (options.csv && options.json) {
        throw BadInput("choose a format: --csv or --json.");
    }
    if (options.plan) {
        report::print("{}", run.plan_toml);
        return status_of_reading(store);
    }
    const auto terminal = report::Terminal::of(STDOUT_FILENO, options.wide);
    const auto asked = [&](const auto& row) { return options.asked.at(row.option); };
    report::PointFields fields;
    std::map<int, std::string> texts;
    const auto select = selection_of(options);
    const report::Shown shown{.chosen = asked, .alone = points_in(store, run.id, select) == 1};
    const auto look = [&](const analysis::PointSamples& samples) {
        if (options.json) {
            fields[samples.point.position] = report::analyses_json(samples, asked);
        } else {
            texts[samples.point.position] = report::analyses_text(samples, shown, terminal);
        }
    };
    const auto result =
        whole_run(store, run, {.view = view_of(options), .wanted = {.select = select, .visit = look}});
    if (options.json) {
        report::print("{}", report::document(report::run_json(store, result, fields)));
        return status_of_reading(store);
    }
    if (options.csv) {
        report::write_points_csv(stdout, result);
        return status_of_reading(store);
    }
    const auto whole = explains(options) && !options.size.empty()
                           ? std::optional(whole_run(store, run, {.view = view_of(options), .quiet = true}))
                           : std::nullopt;
    std::string on_points;
    for (const auto& point : result.points) {
        on_points += report::fitted(texts[point.position], terminal);
        for (const auto& text :
             whole ? report::sentences_on(*whole, point.key) : std::vector<std::string>()) {
            on_points += report::fitted(fmt::format("  - {}\n", printable(text)), terminal);
        }
    }
    const auto table =
        report::run_text(store, result, terminal, options.notes ? SIZE_MAX : report::most_notes) +
        (options.plot ? report::fitted(report::curves_text(result), terminal) : "");
    if (explains(options) && !on_points.empty()) {  // the question was why, not what
        report::print("{}\n{}", on_points.substr(on_points.front() == '\n' ? 1 : 0), table);
    } else {
        report::print("{}{}", table, on_points);
    }
    for (const auto& section : sections) {
        report::print("{}", asked(section) ? section.text(store, result, terminal) : "");
    }
    return status_of_reading(store);
}

}  // namespace

void add_show(const Command& program, Invocation& invocation) {
    const auto options = std::make_shared<ShowOptions>();
    const auto command = program.subcommand("show", "Show a stored run", "fathom show last",
                                            [options, &invocation] { invocation.status = show(*options); });
    command.option("run", options->run, "number, label or 'last'").value_name("RUN").with_default();
    command.db_option(options->db);
    command.flag("--json", options->json, "one JSON document on stdout");
    command.flag("--csv", options->csv, "the points as comma-separated rows ('fathom export' writes more)");
    command.flag("--plot", options->plot, "draw time against size below the table");
    command.flag("--wide", options->wide, "all columns, however wide the terminal is");
    command
        .option(
            "--over-ranks", options->over_ranks,
            "time of a repetition over its ranks: max, span, root, mean, median, min, each (default: as the "
            "plan says)")
        .value_name("WHAT");
    command
        .option("--over-reps", options->over_reps,
                "result over repetitions: median, mean, min, max, skampi-middle, or a quantile such "
                "as p99 (default: as the plan says)")
        .value_name("WHAT");
    command.option("--ranks", options->ranks, "use only these ranks, such as 0,4-7")
        .value_name("SET")
        .not_empty();
    command.option("--op", options->operation, "only this operation").value_name("NAME").not_empty();
    command.option("--size", options->size, "only this message size, e.g. 64k")
        .value_name("BYTES")
        .not_empty();
    const auto add_rows = [&](const auto& rows) {
        for (const auto& row : rows) {
            command.flag(row.option, options->asked[row.option], row.help);
        }
    };
    add_rows(report::point_analyses());
    add_rows(sections);
    command.flag("--notes", options->notes, "all notes, not only the first seven");
    command.flag("--plan", options->plan, "the plan as TOML, for 'fathom run --plan'");
}

}  // namespace fathom::cli
