#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/file.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "cli/tree.hpp"
#include "machine/topology.hpp"
#include "report/json.hpp"
#include "report/output.hpp"
#include "report/tree_json.hpp"
#include "tree/contributors.hpp"
#include "tree/figures.hpp"
#include "tree/file.hpp"
#include "tree/make.hpp"

namespace fathom::cli {
namespace {

struct TreeMakeOptions {
    std::string shape;
    TreeJobOptions job;
    int arity = 0;
    int sites = 0;
    std::string edge{to_text(tree::EdgeKind::message)};
    std::string segment;
    std::string output;
    bool json = false;
};

/// The value of a name that the user gave. `what` is what there is none of: `kind of tree`.
template <NamedEnum Enum>
Enum named(const std::string& name, std::string_view what) {
    if (const auto found = from_text<Enum>(name)) {
        return *found;
    }
    const std::vector<std::string> known(fathom::names_of<Enum>.begin(), fathom::names_of<Enum>.end());
    throw BadInput(fmt::format("no {} '{}'.{} Give one of {}.", what, printable_name(name),
                               did_you_mean(name, known), fmt::join(known, ", ")));
}

tree::Recipe recipe_of(const TreeMakeOptions& options) {
    tree::Recipe recipe{.shape = named<tree::Shape>(options.shape, "kind of tree"),
                        .procs = options.job.procs,
                        .hosts = tree_job(options.job).hosts,
                        .edge = named<tree::EdgeKind>(options.edge, "kind of edge")};
    if (options.arity > 0) {
        recipe.arity = options.arity;
    }
    if (options.sites > 0) {
        recipe.sites = options.sites;
    }
    if (!options.segment.empty()) {
        try {
            recipe.segment = parse_bytes(options.segment);
        } catch (const BadInput& error) {
            throw BadInput(fmt::format("--segment: {}.", error.what()));
        }
    }
    if (recipe.shape == tree::Shape::topology) {
        recipe.topology = machine::host_topology();
    }
    return recipe;
}

void make(const TreeMakeOptions& options) {
    if (options.job.procs == 0) {
        throw BadInput("-n is missing: give the number of ranks.");
    }
    const auto made = tree::make_tree(recipe_of(options));
    const auto text = tree::write_tree(made);
    if (!options.output.empty()) {
        write_file(options.output, text, "name another with -o.");
    }
    if (options.json) {
        auto json = report::tree_json(made, made.hosts);
        json["file"] = options.output;
        json["toml"] = text;
        report::print("{}", report::document(json));
    } else if (options.output.empty()) {
        report::print("{}", text);
    } else {
        report::print("{}: {}", printable(options.output), tree::figures_text(made, made.hosts));
    }
}

}  // namespace

void add_tree_make(const Command& tree, Invocation& /*invocation*/) {
    const auto options = std::make_shared<TreeMakeOptions>();
    const auto command =
        tree.subcommand("make", "Make a tree of a standard kind",
                        "fathom tree make two-level -n 16 --hosts 4 --edge flag -o two-level.toml",
                        [options] { make(*options); });
    command
        .option("kind", options->shape,
                fmt::format("one of {}", fmt::join(fathom::names_of<tree::Shape>, ", ")))
        .value_name("KIND")
        .required();
    add_tree_job_options(command, options->job);
    constexpr std::int64_t most = tree::most_leaves;
    command
        .option("--arity", options->arity,
                fmt::format("subtrees of a join: k-ary (default {}), two-level, three-level, topology "
                            "(default: no limit)",
                            tree::usual_arity))
        .value_name("K")
        .between(1, most);
    command
        .option(
            "--sites", options->sites,
            fmt::format("three-level: sites that the hosts are divided into (default {})", tree::usual_sites))
        .value_name("S")
        .between(1, most);
    command
        .option("--edge", options->edge,
                fmt::format("kind of edges within hosts: {}; between hosts they are messages",
                            fmt::join(fathom::names_of<tree::EdgeKind>, ", ")))
        .value_name("KIND")
        .with_default()
        .not_empty();
    command.option("--segment", options->segment, "divide larger messages into pieces of this size")
        .value_name("SIZE")
        .not_empty();
    command.option("-o,--output", options->output, "tree file to write (default: stdout)")
        .value_name("FILE")
        .not_empty();
    command.flag("--json", options->json, "one JSON document on stdout");
    std::string kinds = "Kinds:";
    for (const auto shape : values_of<tree::Shape>) {
        kinds += fmt::format("\n  {:<12} {}", to_text(shape), tree::summary_of(shape));
    }
    command.add_footer(kinds);
}

}  // namespace fathom::cli
