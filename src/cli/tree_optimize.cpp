#include <algorithm>
#include <memory>
#include <set>
#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/point/quality.hpp"
#include "analysis/run/run_result.hpp"
#include "base/file.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "cli/given_settings.hpp"
#include "cli/measure.hpp"
#include "cli/search_runs.hpp"
#include "cli/stored_run.hpp"
#include "cli/tree_analysis.hpp"
#include "launch/interruption.hpp"
#include "plan/grid.hpp"
#include "plan/implementations.hpp"
#include "plan/presets.hpp"
#include "report/json.hpp"
#include "report/output.hpp"
#include "report/tree_optimization.hpp"
#include "tree/analysis/parts.hpp"
#include "tree/file.hpp"

namespace fathom::cli {
namespace {

using launch::Outcome;

/// The tag by which the runs of an optimization are found again.
constexpr std::string_view search_tag = "tree-optimize";
/// Of the time (--budget): the two rounds with the standard shapes, a round with candidates, and the last
/// one, whose figures are reported.
constexpr double share_of_shapes = 0.2;
constexpr double share_of_round = 0.08;
constexpr double share_of_last = 0.2;
constexpr double usual_budget_s = 60;
/// Simulated repetitions are all alike, but for the first ones.
constexpr int simulated_reps = 7;
/// Tracing every call would make the traced trees slower than they are.
constexpr int traced_calls_apart = 16;

struct OptimizeOptions {
    GivenSettings given;
    MeasureOptions measure;
    std::string output;
    bool resume = false;
    bool all = false;
};

plan::Plan plan_of_search() {
    plan::Plan plan;
    plan::apply_preset(plan, plan::default_preset);
    plan.operations = {"allreduce"};
    return plan;
}

tree::Ways ways_of(const std::string& operation) {
    return {.down = operation != "bcast", .up = operation != "reduce"};
}

/// In simulation an edge of shared memory is a message and some latency: it cannot be faster than a message.
std::vector<tree::EdgeKind> kinds_for(bool simulated) {
    return simulated ? std::vector{tree::EdgeKind::message}
                     : std::vector{tree::EdgeKind::message, tree::EdgeKind::flag, tree::EdgeKind::futex};
}

/// Measures rounds of the search.
class Rounds {
  public:
    Rounds(plan::Plan plan, const OptimizeOptions& options)
        : options_(options),
          runs_(std::move(plan), options.measure, search_tag, options.resume, usual_budget_s) {}

    [[nodiscard]] int procs() const { return runs_.procs(); }
    [[nodiscard]] bool simulated() const { return runs_.simulated(); }
    [[nodiscard]] const plan::Plan& plan() const { return runs_.plan(); }
    [[nodiscard]] const Outcome& outcome() const { return runs_.outcome(); }

    std::optional<tree::RoundResult> measure(const tree::Round& round) {
        if (outcome().kind != Outcome::Kind::done || (!round.last && !has_time_for(round))) {
            return std::nullopt;
        }
        const SearchRound measured{.number = fmt::format("{}", round.number), .plan = plan_of(round)};
        say(round, runs_.stored(measured.number));
        const auto run = runs_.measure(measured);
        return run ? std::optional(result_of(*run, round)) : std::nullopt;
    }

  private:
    [[nodiscard]] bool has_time_for(const tree::Round& round) const {
        return round.traced ||
               runs_.elapsed_s() + share_of_round * runs_.budget_s() < (1 - share_of_last) * runs_.budget_s();
    }

    [[nodiscard]] std::string stored_name(const std::string& name) const {
        return simulated() ? plan::simulated_tree(name) : name;
    }
    /// What the search calls the implementation of a point.
    [[nodiscard]] std::string name_in(const tree::Round& round, const plan::PointKey& key) const {
        const auto implementation = plan::implementation_of(key);
        for (const auto& tree : round.trees) {
            if (stored_name(tree.name) == implementation.name) {
                return tree.name;
            }
        }
        return std::string(tree::library_name);
    }

    [[nodiscard]] plan::Plan plan_of(const tree::Round& round) const {
        auto plan = runs_.plan();
        plan.via.clear();
        plan.trees.clear();
        if (round.library) {
            plan.via.emplace_back(tree::library_name);
        }
        for (const auto& [name, tree] : round.trees) {
            plan.via.push_back("tree:" + stored_name(name));
            plan.trees.push_back(
                {.name = stored_name(name), .file = name + ".toml", .text = tree::write_tree(tree)});
        }
        plan.sizes.clear();
        for (const auto& size : round.sizes) {
            plan.sizes.push_back(fmt::format("{}", size.count));
        }
        plan.trace.every = round.traced ? (simulated() ? 1 : traced_calls_apart) : 0;
        if (simulated() && !plan.reps) {
            plan.reps = simulated_reps;
        }
        plan.between_runs_percent = 0;  // all that is compared is in one run
        if (!simulated()) {
            plan.budget_s = runs_.budget_s() * (round.last     ? share_of_last
                                                : round.traced ? share_of_shapes
                                                               : share_of_round);
        }
        return plan;
    }

    void say(const tree::Round& round, const std::optional<std::int64_t>& stored) const {
        if (options_.measure.quiet) {
            return;
        }
        std::vector<std::string> names;
        for (const auto& tree : round.trees) {
            names.push_back(tree.name);
        }
        report::print(stderr, "Round {}{}: {}{} at {}{}.\n", round.number, round.last ? ", the last" : "",
                      round.library ? "library, " : "", fmt::join(names, ", "), sizes_text(round.sizes),
                      stored ? fmt::format(", as far as it is not in run {}", *stored) : "");
    }

    static std::string sizes_text(const std::vector<Bytes>& sizes) {
        std::vector<std::string> texts;
        for (const auto& size : sizes) {
            texts.push_back(exact_text(size));
        }
        return fmt::format("{}", fmt::join(texts, ", "));
    }

    [[nodiscard]] tree::RoundResult result_of(std::int64_t run, const tree::Round& round) const {
        const auto row = runs_.store().find_run(fmt::format("{}", run));
        tree::RoundResult result{.run = run};
        for (const auto& rank : runs_.store().ranks(run)) {
            result.hosts.push_back(rank.host);
        }
        const auto evaluated = analysis::evaluate(runs_.store(), row);
        for (const auto& point : evaluated.points) {
            if (point.status != store::PointStatus::ok || !point.value_ns) {
                continue;
            }
            const auto range = analysis::range_of(point, simulated());
            result.times.push_back({.name = name_in(round, point.key),
                                    .size = point.key.size,
                                    .median_ns = point.value_ns->value,
                                    .range_ns = range,
                                    .ci95_ns = simulated() ? range : point.value_ns->ci95,
                                    .reliable = point.trusted()});
        }
        if (round.traced) {
            add_stages(row, result);
        }
        return result;
    }

    void add_stages(const store::RunRow& row, tree::RoundResult& result) const {
        for (const auto& point : tree::traced_points(runs_.store(), row)) {
            const auto trace = tree::read_trace(runs_.store(), row, point);
            const tree::StageTimes times(trace.index, trace.calls);
            for (const auto& edge : tree::edges_of(times)) {
                if (edge.down) {
                    result.edges.push_back({.from = edge.rank,
                                            .to = edge.parent_rank,
                                            .kind = edge.kind,
                                            .size = point.key.size,
                                            .down_ns = edge.down->median_ns});
                }
            }
            for (const auto& join : tree::joins_of(times)) {
                if (join.serialisation.size() > 1) {
                    const auto others = static_cast<double>(join.serialisation.size() - 1);
                    const double all =
                        join.serialisation.back().median_ns - join.serialisation.front().median_ns;
                    result.serving.push_back({.rank = trace.index.rank(join.node),
                                              .size = point.key.size,
                                              .each_ns = all / others});
                }
            }
        }
    }

    const OptimizeOptions& options_;
    SearchRuns runs_;
};

std::string file_of(const tree::SizeRange& range, const std::string& prefix) {
    return range.first == range.last
               ? fmt::format("{}-{}.toml", prefix, range.first.count)
               : fmt::format("{}-{}-{}.toml", prefix, range.first.count, range.last.count);
}

void check_settings(const plan::Plan& plan) {
    const std::set<std::string> known{"allreduce", "reduce", "bcast", "barrier"};
    if (plan.operations.size() != 1 || !known.contains(plan.operations.front())) {
        throw BadInput("--op takes one operation that trees perform: allreduce, reduce, bcast or barrier.");
    }
    if (plan::process_grid(plan.procs).values.size() > 1) {
        throw BadInput("-n takes one number of processes here: a tree is made for that number.");
    }
    if (!plan::size_grid(plan.sizes).refined.empty()) {
        throw BadInput("--sizes takes fixed sizes here, such as 8,256,4k, not a range that is refined.");
    }
}

ExitStatus optimize(OptimizeOptions& options) {
    auto plan = plan_of_search();
    options.given.apply_to(plan);
    check_settings(plan);
    launch::catch_interruptions();
    Rounds rounds(plan, options);
    tree::OptimizerSettings settings{.procs = rounds.procs(),
                                     .sizes = {},
                                     .ways = ways_of(plan.operations.front()),
                                     .kinds = kinds_for(rounds.simulated()),
                                     .seed = static_cast<std::uint64_t>(rounds.plan().seed)};
    for (const auto size : plan.operations.front() == "barrier"
                               ? std::vector<std::int64_t>{0}
                               : plan::size_grid(rounds.plan().sizes).values) {
        settings.sizes.push_back(Bytes{size});
    }
    const auto found =
        tree::optimize(settings, [&](const tree::Round& round) { return rounds.measure(round); });
    const std::string usual = "best";
    const auto prefix = !options.output.empty() ? options.output
                        : rounds.simulated()    ? plan::simulated_tree(usual)
                                                : usual;
    std::vector<std::string> files;
    for (const auto& range : found.ranges) {
        auto tree = range.tree.tree;
        tree.name = fmt::format("{}, found for {} of {} ranks{}", range.tree.name, plan.operations.front(),
                                rounds.procs(), rounds.simulated() ? " in simulation" : "");
        files.push_back(file_of(range, prefix));
        write_file(files.back(), tree::write_tree(tree), "name others with --output.");
    }
    if (options.measure.json) {
        auto document = report::tree_optimization_json(found);
        document["operation"] = plan.operations.front();
        document["procs"] = rounds.procs();
        document["files"] = files;
        report::print("{}", report::document(document));
    } else {
        report::print(
            "{}", report::tree_optimization_text(found, report::Terminal::of(STDOUT_FILENO), options.all));
    }
    std::fflush(stdout);
    if (!files.empty() && !options.measure.quiet) {
        report::print(stderr, "Wrote {}.\n", printable(fmt::format("{}", fmt::join(files, ", "))));
    }
    return status_of_search(rounds.outcome());
}

}  // namespace

void add_tree_optimize(const Command& tree, Invocation& invocation) {
    const auto options = std::make_shared<OptimizeOptions>();
    const auto command =
        tree.subcommand("optimize", "Find the fastest tree of an operation for each size",
                        "fathom tree optimize --op allreduce -n 8 --sizes 4,256,4k --budget 60s",
                        [options, &invocation] { invocation.status = optimize(*options); });
    options->measure.command_line = invocation.command_line;
    options->given.add_for_implementations(command, plan_of_search());
    command
        .option("-o,--output", options->output,
                "beginning of the names of the tree files: best gives best-4.toml, best-256-4096.toml "
                "(default best; "
                "best-sim in simulation)")
        .value_name("PREFIX")
        .with_default()
        .not_empty();
    command.flag("--resume", options->resume, "go on with the newest search that has these settings");
    command.flag("--all", options->all, "all trials, not only those that were better");
    command.db_option(options->measure.db);
    command.flag("--json", options->measure.json, "one JSON document on stdout");
    add_progress_options(command, options->measure);
    command.flag("--allow-run-as-root", options->measure.allow_root, "let Open MPI run as root");
}

}  // namespace fathom::cli
