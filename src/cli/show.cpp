#include <algorithm>
#include <memory>
#include <optional>
#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/run/run_result.hpp"
#include "cli/command_line.hpp"
#include "cli/stored_run.hpp"
#include "journal/json.hpp"
#include "plan/operations.hpp"
#include "plan/setting_values.hpp"
#include "report/analyses.hpp"
#include "report/curves.hpp"
#include "report/json.hpp"
#include "report/run_text.hpp"
#include "report/scaling.hpp"
#include "store/store.hpp"

namespace fathom::cli {
namespace {

struct ShowOptions {
    std::string run = "last";
    std::string db;
    bool json = false;
    bool plan = false;
    bool environment = false;
    std::string over_ranks;
    std::string over_reps;
    std::string ranks;
    std::string operation;
    std::string size;
    analysis::Asked asked;
    bool scaling = false;
    bool notes = false;
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

void print_environment(const store::Store& store, const store::RunRow& run) {
    for (const auto& rank : store.ranks(run.id)) {
        fmt::print("rank {}: {} pid {}{}\n", rank.rank, rank.host, rank.pid,
                   rank.binding.empty() ? "" : fmt::format(" on processors {}", rank.binding));
    }
    for (const auto& [host, facts] : store.environment(run.id)) {
        fmt::print("{}\n", host.empty() ? "job" : host);
        for (const auto& [key, value] : facts) {
            fmt::print("  {}: {}\n", key, value);
        }
    }
}

/// The points that were asked for; empty: all.
std::function<bool(const plan::PointKey&)> selection_of(const ShowOptions& options) {
    if (options.operation.empty() && options.size.empty()) {
        return {};
    }
    std::optional<Bytes> size;
    take("--size", options.size, [&](const auto& text) { size = parse_bytes(text); });
    if (!options.operation.empty()) {
        plan::find_operation(options.operation);
    }
    return [operation = options.operation, size](const plan::PointKey& key) {
        return (operation.empty() || key.operation == operation) && (!size || key.size == *size);
    };
}

analysis::RunResult asked_for(const store::Store& store, const store::RunRow& run,
                              const ShowOptions& options) {
    return whole_run(store, run,
                     {.view = view_of(options), .asked = options.asked, .select = selection_of(options)});
}

void show(const ShowOptions& options) {
    const auto store = store::Store::open(options.db);
    const auto run = store.find_run(options.run);
    if (options.plan) {
        fmt::print("{}", run.plan_toml);
    } else if (options.json) {
        fmt::print("{}", report::document(report::run_json(store, asked_for(store, run, options))));
    } else {
        const auto terminal = report::Terminal::of(STDOUT_FILENO);
        const auto result = asked_for(store, run, options);
        fmt::print("{}{}",
                   report::run_text(store, result, terminal, options.notes ? SIZE_MAX : report::most_notes),
                   report::curves_text(result));
        fmt::print("{}", report::analyses_text(result, terminal));
        if (options.scaling) {
            fmt::print("{}", report::scaling_text(result.scaling, terminal));
        }
        if (options.environment) {
            print_environment(store, run);
        }
    }
}

}  // namespace

void add_show(const Command& program, Invocation& /*invocation*/) {
    const auto options = std::make_shared<ShowOptions>();
    const auto command =
        program.subcommand("show", "Show a stored run", "fathom show last", [options] { show(*options); });
    command.option("run", options->run, "number, label or 'last'").value_name("RUN").with_default();
    command.db_option(options->db);
    command.flag("--json", options->json, "one JSON document on stdout");
    command
        .option("--over-ranks", options->over_ranks,
                "what a repetition counts as: max, span, root, mean, min, each (default: as the plan says)")
        .value_name("WHAT");
    command
        .option("--over-reps", options->over_reps,
                "what the repetitions come to: median, mean, min, max, skampi-middle, or a quantile such "
                "as p99 (default: as the plan says)")
        .value_name("WHAT");
    command.option("--ranks", options->ranks, "only these processes count, e.g. 0,4-7")
        .value_name("SET")
        .not_empty();
    command.option("--op", options->operation, "only this operation").value_name("NAME").not_empty();
    command.option("--size", options->size, "only this message size, e.g. 64k")
        .value_name("BYTES")
        .not_empty();
    command.flag("--distribution", options->asked.distribution,
                 "how times spread: histogram, modes, fitted distributions; with --over-ranks each, by rank");
    command.flag("--tails", options->asked.tails, "how many times are how slow, and high quantiles");
    command.flag("--processes", options->asked.processes, "process by process: times, groups, who is last");
    command.flag("--timeouts", options->asked.timeouts, "retransmission time-outs of TCP in the times");
    command.flag("--explain", options->asked.explanation,
                 "why some repetitions were slow, by what the operating system counted");
    command.flag("--scaling", options->scaling,
                 "bandwidth, anomalies and guidelines over sizes and process counts");
    command.flag("--notes", options->notes, "all notes, not only the first seven");
    command.flag("--plan", options->plan, "the plan as TOML, for 'fathom run --plan'");
    command.flag("--environment", options->environment, "also hosts, processes and settings");
}

}  // namespace fathom::cli
