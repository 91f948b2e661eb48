#include <memory>
#include <unistd.h>

#include "base/file.hpp"
#include "base/printable.hpp"
#include "cli/tree.hpp"
#include "report/json.hpp"
#include "report/output.hpp"
#include "report/style.hpp"
#include "report/tree_json.hpp"
#include "tree/drawing.hpp"
#include "tree/figures.hpp"
#include "tree/file.hpp"

namespace fathom::cli {
namespace {

struct TreeShowOptions {
    std::string file;
    TreeJobOptions job;
    std::string svg;
    bool json = false;
};

void show_tree(const TreeShowOptions& options) {
    const auto job = tree_job(options.job);
    const auto shown = tree::read_tree_file(options.file, job);
    const auto& hosts = tree::hosts_of(shown, job);
    if (!options.svg.empty()) {
        write_file(options.svg, tree::svg_drawing(shown, hosts), "name another with --svg.");
    }
    if (options.json) {
        auto json = report::tree_json(shown, hosts);
        json["file"] = options.file;
        report::print("{}", report::document(json));
        return;
    }
    report::print("{}\n{}", tree::figures_text(shown, hosts),
                  tree::text_drawing(shown, hosts, report::Terminal::of(STDOUT_FILENO).columns));
    if (!options.svg.empty()) {
        report::print("\nDrawn in {}. Open it in any browser.\n", printable(options.svg));
    }
}

}  // namespace

void add_tree_show(const Command& tree, Invocation& /*invocation*/) {
    const auto options = std::make_shared<TreeShowOptions>();
    const auto command =
        tree.subcommand("show", "Draw a tree in the terminal, and as SVG",
                        "fathom tree show binomial.toml --svg tree.svg", [options] { show_tree(*options); });
    command.option("file", options->file, "tree file").value_name("FILE").required();
    add_tree_job_options(command, options->job);
    command.option("--svg", options->svg, "also draw it as a self-contained SVG")
        .value_name("FILE")
        .not_empty();
    command.flag("--json", options->json, "one JSON document on stdout");
}

}  // namespace fathom::cli
