#include <memory>
#include <unistd.h>

#include <climits>
#include <fmt/format.h>

#include "base/file.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "cli/stored_run.hpp"
#include "cli/tree_analysis.hpp"
#include "journal/json.hpp"
#include "plan/plan_toml.hpp"
#include "plan/trace_setting.hpp"
#include "report/json.hpp"
#include "report/output.hpp"
#include "report/style.hpp"
#include "report/tree_analysis_json.hpp"
#include "report/tree_svg.hpp"
#include "report/tree_text.hpp"
#include "tree/analysis/tree_analysis.hpp"

namespace fathom::cli {
namespace {

using nlohmann::ordered_json;

struct AnalyzeOptions {
    std::string run = "last";
    std::string db;
    int point = any_point;
    std::string path;
    std::string subtree;
    std::string svg;
    bool json = false;
    bool all = false;
};

/// Each traced point with its number: `3: allreduce, 8 B, 4 processes, tree:flat`.
std::string list_of_traces(const std::vector<tree::TracedPoint>& points) {
    std::string text;
    for (const auto& point : points) {
        text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", point.position, to_text(point.key));
    }
    return text;
}

/// What `--path` or `--subtree` names.
tree::Node named_node(const tree::NodeIndex& index, const char* option, const std::string& name, bool leaf) {
    const auto node = index.find(name);
    if (node < 0 || index.is_leaf(node) != leaf) {
        std::vector<std::string> known;
        for (tree::Node at = leaf ? 0 : index.leaves(); at < (leaf ? index.leaves() : index.nodes()); ++at) {
            known.push_back(index.name(at));
        }
        throw BadInput(
            fmt::format("{} is \"{}\"; the tree has {} {}.{}", option, name, leaf ? "contributors" : "joins",
                        fmt::format("{} to {}", known.front(), known.back()), did_you_mean(name, known)));
    }
    return node;
}

/// One point, analysed: what is printed of it.
class AnalysedPoint {
  public:
    AnalysedPoint(const store::Store& store, const store::RunRow& run, const tree::TracedPoint& point,
                  const AnalyzeOptions& options)
        : options_(options),
          point_(point),
          trace_(tree::read_trace(store, run, point)),
          times_(trace_.index, trace_.calls),
          analysis_(tree::analyse(times_, &trace_.evidence)) {}
    AnalysedPoint(const AnalysedPoint&) = delete;  // the times refer to the trace beside them
    AnalysedPoint& operator=(const AnalysedPoint&) = delete;
    ~AnalysedPoint() = default;

    [[nodiscard]] std::string title(const store::RunRow& run) const {
        return fmt::format("Run {}, point {}: {}", run.id, point_.position, to_text(point_.key));
    }
    [[nodiscard]] std::string text(const report::Terminal& terminal) const {
        std::string text;
        if (!options_.path.empty()) {
            text +=
                report::breakdown_text(trace_.index, tree::breakdown_of(times_, path_node(), true), terminal);
        }
        if (!options_.subtree.empty()) {
            const auto join = subtree_node();
            text += report::subtree_text(trace_.index, join, tree::costs_by_kind(times_, join), terminal);
        }
        return text.empty() ? report::tree_analysis_text(analysis_, terminal, options_.all) : text;
    }
    void put_json(ordered_json& json) const {
        json["point"] = point_.position;
        json["operation"] = point_.key.operation;
        json["procs"] = point_.key.procs;
        json["size_bytes"] = point_.key.size.count;
        json["implementation"] = point_.key.implementation;
        json.update(report::tree_analysis_json(analysis_));
        if (!options_.path.empty()) {
            json["path"] =
                report::breakdown_json(trace_.index, tree::breakdown_of(times_, path_node(), true));
        }
        if (!options_.subtree.empty()) {
            json["subtree"] =
                report::kind_costs_json(trace_.index, tree::costs_by_kind(times_, subtree_node()));
        }
    }
    [[nodiscard]] std::string svg(const store::RunRow& run) const {
        return report::tree_analysis_svg(analysis_, title(run));
    }

  private:
    [[nodiscard]] tree::Node path_node() const {
        return named_node(trace_.index, "--path", options_.path, true);
    }
    [[nodiscard]] tree::Node subtree_node() const {
        return named_node(trace_.index, "--subtree", options_.subtree, false);
    }

    const AnalyzeOptions& options_;
    const tree::TracedPoint& point_;
    tree::StoredTrace trace_;
    tree::StageTimes times_;
    tree::TreeAnalysis analysis_;
};

ExitStatus analyze(const AnalyzeOptions& options) {
    const auto store = store::Store::open(options.db);
    const auto run = store.find_run(options.run);
    const bool of_one = !options.svg.empty() || !options.path.empty() || !options.subtree.empty();
    const auto points = of_one ? std::vector{one_trace(store, run, options.point)}
                               : selected_traces(store, run, options.point);
    const auto terminal = report::Terminal::of(STDOUT_FILENO);
    ordered_json document{{"schema", "fathom.tree-analysis/1"}, {"run", run.id}};
    for (const auto& point : points) {
        const AnalysedPoint analysed(store, run, point, options);
        if (!options.svg.empty()) {
            write_file(options.svg, analysed.svg(run), "name another with --svg.");
        }
        if (!options.json) {
            report::print("{}{}\n{}", &point == &points.front() ? "" : "\n",
                          report::bold(analysed.title(run), terminal), analysed.text(terminal));
        } else if (points.size() == 1) {
            analysed.put_json(document);
        } else {
            analysed.put_json(document["points"].emplace_back(ordered_json::object()));
        }
    }
    if (options.json) {
        report::print("{}", report::document(document));
    }
    if (!options.svg.empty()) {
        report::print(stderr, "Wrote {}.\n", printable(options.svg));
    }
    return status_of_reading(store);
}

std::string how_to_trace(const store::RunRow& run) {
    plan::Plan plan;
    plan::read_stored_plan(plan, run.plan_toml, run.id);
    if (plan.trace.from.count > 0 || plan.trace.until) {
        return fmt::format("none began within {}, counted from the first call of each point",
                           plan::traced_calls_text(plan.trace));
    }
    return "measure with --via tree:FILE and --trace";
}

}  // namespace

std::vector<tree::TracedPoint> selected_traces(const store::Store& store, const store::RunRow& run,
                                               int point) {
    auto points = tree::traced_points(store, run);
    if (points.empty()) {
        throw BadInput(fmt::format("run {} has no traced calls; {}.", run.id, how_to_trace(run)));
    }
    if (point == any_point) {
        return points;
    }
    for (auto& candidate : points) {
        if (candidate.position == point) {
            return {std::move(candidate)};
        }
    }
    throw BadInput(
        fmt::format("run {} has no traced point {}; it has {}.", run.id, point, list_of_traces(points)));
}

tree::TracedPoint one_trace(const store::Store& store, const store::RunRow& run, int point) {
    auto points = selected_traces(store, run, point);
    if (points.size() > 1) {
        throw BadInput(fmt::format("run {} has {} traced points; choose one with --point NUMBER: {}.", run.id,
                                   points.size(), list_of_traces(points)));
    }
    return std::move(points.front());
}

void add_tree_analyze(const Command& tree, Invocation& invocation) {
    const auto options = std::make_shared<AnalyzeOptions>();
    const auto command =
        tree.subcommand("analyze", "Say what each part of a tree costs, from its traced calls",
                        "fathom tree analyze last --svg timemap.svg",
                        [options, &invocation] { invocation.status = analyze(*options); });
    command.option("run", options->run, "number, label or 'last'").value_name("RUN").with_default();
    command.db_option(options->db);
    command.option("--point", options->point, "only the traced point of this number, as listed")
        .value_name("NUMBER")
        .between(0, INT_MAX);
    command
        .option("--path", options->path,
                "only the path of this rank by stages, such as 3, or 3:1 for a thread")
        .value_name("RANK")
        .not_empty();
    command.option("--subtree", options->subtree, "only the stages below this join")
        .value_name("JOIN")
        .not_empty();
    command.option("--svg", options->svg, "also write timemaps and departures by order as a picture")
        .value_name("FILE")
        .not_empty();
    command.flag("--all", options->all, "all rows of all tables, and fast paths too");
    command.flag("--json", options->json, "one JSON document on stdout");
}

}  // namespace fathom::cli
