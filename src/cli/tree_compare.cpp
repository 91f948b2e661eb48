#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/file.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "cli/given_settings.hpp"
#include "cli/measure.hpp"
#include "cli/stored_run.hpp"
#include "cli/tree_analysis.hpp"
#include "journal/json.hpp"
#include "plan/implementations.hpp"
#include "plan/plan_toml.hpp"
#include "plan/presets.hpp"
#include "report/json.hpp"
#include "report/output.hpp"
#include "report/point_key.hpp"
#include "report/tree_analysis_json.hpp"
#include "report/tree_svg.hpp"
#include "report/tree_text.hpp"
#include "tree/analysis/comparison.hpp"
#include "tree/analysis/tree_analysis.hpp"

namespace fathom::cli {
namespace {

using nlohmann::ordered_json;
using report::ComparedTreePoint;
using report::TreeNames;

struct TreeCompareOptions {
    std::string first;
    std::string second;
    std::string run;
    std::string svg;
    bool all = false;
    GivenSettings given;
    MeasureOptions measure;
};

/// As points have it: `tree:flat`.
std::string implementation_named(const std::string& name) {
    return plan::to_text(plan::Implementation{.kind = plan::ImplementationKind::tree, .name = name});
}

/// A tree without the prefix that it may have, as for `--via`.
std::string bare_name(const std::string& given) {
    const auto prefix = fmt::format("{}:", to_text(plan::ImplementationKind::tree));
    return given.starts_with(prefix) ? given.substr(prefix.size()) : given;
}

/// Where two trees of a run are found.
class TreesOfRun {
  public:
    TreesOfRun(const store::Store& store, const store::RunRow& run)
        : run_(run), points_(tree::traced_points(store, run)) {
        plan::read_stored_plan(plan_, run.plan_toml, run.id);
    }

    /// The implementation that a tree is stored as, by its file or its name: `tree:flat`.
    [[nodiscard]] std::string implementation(const std::string& given) const {
        const auto name = bare_name(given);
        for (const auto& tree : plan_.trees) {
            if (name == tree.file || name == tree.name || plan::simulated_tree(name) == tree.name) {
                return implementation_named(tree.name);
            }
        }
        std::vector<std::string> known;
        std::vector<std::string> accepted;
        for (const auto& tree : plan_.trees) {
            known.push_back(implementation_named(tree.name));
            accepted.push_back(known.back());
            accepted.push_back(implementation_named(std::filesystem::path(tree.file).stem().string()));
        }
        throw BadInput(fmt::format("run {} has no tree '{}'; it has {}.{}", run_.id, printable_name(given),
                                   printable(and_list(known)),
                                   did_you_mean(implementation_named(name), accepted)));
    }

    /// Points that were traced with both trees, and the names of those that were with one alone.
    struct Pairs {
        std::vector<std::pair<tree::TracedPoint, tree::TracedPoint>> both;
        std::vector<std::string> alone;
    };
    [[nodiscard]] Pairs pairs(const TreeNames& names) const {
        Pairs found;
        for (const auto& point : points_) {
            const bool is_first = point.key.implementation == names.first;
            if (!is_first && point.key.implementation != names.second) {
                continue;
            }
            auto other = point.key;
            other.implementation = is_first ? names.second : names.first;
            const auto partner = std::ranges::find(points_, other, &tree::TracedPoint::key);
            if (partner == points_.end()) {
                found.alone.push_back(to_text(point.key));
            } else if (is_first) {
                found.both.emplace_back(point, *partner);
            }
        }
        return found;
    }

  private:
    const store::RunRow& run_;
    std::vector<tree::TracedPoint> points_;
    plan::Plan plan_;
};

/// Everything that is said of two trees of a run.
struct ComparedTrees {
    TreeNames names;
    std::vector<ComparedTreePoint> points;
    std::vector<report::ComparedTimemaps> timemaps;  ///< if a picture is wanted
    std::vector<std::string> alone;                  ///< points that only one of them has
};

void compare_point(const store::Store& store, const store::RunRow& run,
                   const std::pair<tree::TracedPoint, tree::TracedPoint>& pair, bool with_timemaps,
                   ComparedTrees& compared) {
    const auto first = tree::read_trace(store, run, pair.first);
    const auto second = tree::read_trace(store, run, pair.second);
    const tree::StageTimes first_times(first.index, first.calls);
    const tree::StageTimes second_times(second.index, second.calls);
    ComparedTreePoint point{.key = pair.first.key,
                            .first_position = pair.first.position,
                            .second_position = pair.second.position,
                            .first_calls = first_times.size(),
                            .second_calls = second_times.size(),
                            .comparison = tree::compare_trees(first_times, second_times)};
    point.key.implementation.clear();
    const auto note_gaps = [&](const std::string& name, const tree::StageTimes& times) {
        if (const auto gaps = report::gaps_text(times); !gaps.empty()) {
            point.gaps.push_back(fmt::format("{}: {}", name, gaps));
        }
    };
    note_gaps(compared.names.first, first_times);
    note_gaps(compared.names.second, second_times);
    if (with_timemaps) {
        compared.timemaps.push_back({.title = to_text(point.key),
                                     .first = tree::analyse(first_times, &first.evidence),
                                     .second = tree::analyse(second_times, &second.evidence)});
    }
    compared.points.push_back(std::move(point));
}

ComparedTrees compare_stored(const store::Store& store, const store::RunRow& run,
                             const TreeCompareOptions& options) {
    const TreesOfRun trees(store, run);
    ComparedTrees compared;
    compared.names = {.first = trees.implementation(options.first),
                      .second = trees.implementation(options.second)};
    if (compared.names.first == compared.names.second) {
        throw BadInput(fmt::format("both trees are {}; give two.", printable_name(compared.names.first)));
    }
    auto pairs = trees.pairs(compared.names);
    compared.alone = std::move(pairs.alone);
    for (const auto& pair : pairs.both) {
        compare_point(store, run, pair, !options.svg.empty(), compared);
    }
    return compared;
}

ordered_json document_of(const store::RunRow& run, const ComparedTrees& compared) {
    ordered_json document{{"schema", "fathom.tree-compare/1"}, {"run", run.id},
                          {"first", compared.names.first},     {"second", compared.names.second},
                          {"points", ordered_json::array()},   {"not_in_both", compared.alone}};
    for (const auto& point : compared.points) {
        document["points"].push_back(report::with_key(point.key, {{"first_point", point.first_position},
                                                                  {"second_point", point.second_position},
                                                                  {"first_calls", point.first_calls},
                                                                  {"second_calls", point.second_calls},
                                                                  {"gaps", point.gaps}}));
        document["points"].back().update(report::tree_comparison_json(compared.names, point.comparison));
    }
    return document;
}

std::string text_of(const ComparedTrees& compared, const report::Terminal& terminal, bool all) {
    std::string text;
    if (compared.points.size() > 1) {
        text += report::tree_speedups_text(compared.names, compared.points, terminal);
    }
    for (const auto& point : compared.points) {
        text += fmt::format("{}{}: {} and {} traced calls\n{}", text.empty() ? "" : "\n",
                            report::bold(to_text(point.key), terminal),
                            count_text(static_cast<std::int64_t>(point.first_calls)),
                            count_text(static_cast<std::int64_t>(point.second_calls)),
                            report::tree_comparison_text(compared.names, point.comparison, terminal, all));
        for (const auto& gap : point.gaps) {
            text += fmt::format("Note: {}.\n", printable(gap));
        }
    }
    for (const auto& point : compared.alone) {
        text +=
            fmt::format("Note: not compared, since the other tree has no traced calls there: {}.\n", point);
    }
    return text;
}

/// Prints it in the forms that are wanted.
void print_compared(const store::RunRow& run, const ComparedTrees& compared,
                    const TreeCompareOptions& options) {
    if (options.measure.json) {
        report::print("{}", report::document(document_of(run, compared)));
    } else {
        report::print("{}", text_of(compared, report::Terminal::of(STDOUT_FILENO), options.all));
    }
    if (!options.svg.empty() && !compared.points.empty()) {
        std::fflush(stdout);  // what was measured is said before anything can fail
        write_file(options.svg,
                   report::compared_trees_svg(
                       compared.names, compared.timemaps,
                       fmt::format("Run {}: {} and {}", run.id, compared.names.first, compared.names.second)),
                   "name another with --svg.");
        report::print(stderr, "Wrote {}.\n", printable(options.svg));
    }
}

/// The file of a tree that is to be measured.
std::string tree_file(const std::string& given) {
    auto file = bare_name(given);
    std::error_code ignored;
    if (!file.ends_with(".toml") && !std::filesystem::exists(file, ignored)) {
        throw BadInput(fmt::format(
            "there is no tree file '{}'; give a file to measure it, or --run RUN to compare trees "
            "of a stored run.",
            printable_name(given)));
    }
    return file;
}

plan::Plan usual_comparison() {
    plan::Plan plan;
    plan::apply_preset(plan, plan::default_preset);
    plan.operations = {"allreduce"};
    plan.trace.every = 1;
    return plan;
}

ExitStatus measure_trees(const TreeCompareOptions& options) {
    auto plan = usual_comparison();
    options.given.apply_to(plan);
    if (plan.trace.every == 0) {
        throw BadInput("stages are compared by the events of traced calls; leave out --trace off.");
    }
    const auto first = tree_file(options.first);
    const auto second = tree_file(options.second);
    if (first == second) {
        throw BadInput(fmt::format("both trees are '{}'; give two.", printable_name(first)));
    }
    plan.via = {implementation_named(first), implementation_named(second)};
    return new_run(
        std::move(plan), options.measure, [&](const store::Store& store, const store::RunRow& run) {
            const auto compared = compare_stored(store, run, options);
            print_compared(run, compared, options);
            if (!options.measure.json && !compared.points.empty()) {
                const auto hint = db_hint(options.measure.db);
                report::print(
                    "\nStored as run {0} in {1}. Compare again: fathom tree compare {2} {3} --run {0}{4}\n"
                    "Stage by stage: fathom tree analyze {0}{4}\n",
                    run.id, options.measure.db, compared.names.first, compared.names.second, hint);
            }
        });
}

ExitStatus compare_trees_of(const TreeCompareOptions& options) {
    if (options.run.empty()) {
        return measure_trees(options);
    }
    if (options.given.any()) {
        throw BadInput("--run compares what is stored; remove --op and settings of measurements.");
    }
    const auto store = store::Store::open(options.measure.db);
    const auto run = store.find_run(options.run);
    selected_traces(store, run, any_point);  // says how to trace if nothing was
    const auto compared = compare_stored(store, run, options);
    if (compared.points.empty()) {
        throw BadInput(fmt::format("no point of run {} was traced with both {} and {}; it has {}.", run.id,
                                   printable_name(compared.names.first),
                                   printable_name(compared.names.second), fmt::join(compared.alone, "; ")));
    }
    print_compared(run, compared, options);
    return status_of_reading(store);
}

}  // namespace

void add_tree_compare(const Command& tree, Invocation& invocation) {
    const auto options = std::make_shared<TreeCompareOptions>();
    const auto command = tree.subcommand(
        "compare", "Measure two trees in alternation within one job, and say which stages changed",
        "fathom tree compare flat.toml binomial.toml -n 8 --sizes 8,4k",
        [options, &invocation] { invocation.status = compare_trees_of(*options); });
    options->measure.command_line = invocation.command_line;
    command
        .option("first", options->first,
                "the tree to start from: its file; with --run, its name there, as tree:flat")
        .value_name("A")
        .required();
    command.option("second", options->second, "the tree to compare with it, named the same way")
        .value_name("B")
        .required();
    command
        .option("--run", options->run,
                "compare trees of a stored run (number, label or 'last'), and measure "
                "nothing")
        .value_name("RUN")
        .not_empty();
    command
        .option("--svg", options->svg,
                "also draw the timemaps of both trees, scaled to the same height, and departures by order")
        .value_name("FILE")
        .not_empty();
    command.flag("--all", options->all, "all rows of all tables, changed or not");
    options->given.add_for_implementations(command, usual_comparison());
    command.db_option(options->measure.db);
    command.flag("--json", options->measure.json, "one JSON document on stdout");
    add_progress_options(command, options->measure);
    command.flag("--allow-run-as-root", options->measure.allow_root, "let Open MPI run as root");
}

}  // namespace fathom::cli
