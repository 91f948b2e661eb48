#include <memory>

#include "base/printable.hpp"
#include "cli/tree.hpp"
#include "report/json.hpp"
#include "report/output.hpp"
#include "report/tree_json.hpp"
#include "tree/figures.hpp"
#include "tree/file.hpp"

namespace fathom::cli {
namespace {

struct TreeCheckOptions {
    std::string file;
    TreeJobOptions job;
    bool json = false;
};

/// A tree that does not fit is refused as every other bad input: with its place and the fix.
void check_tree(const TreeCheckOptions& options) {
    const auto job = tree_job(options.job);
    const auto checked = tree::read_tree_file(options.file, job);
    const auto& hosts = tree::hosts_of(checked, job);
    const auto figures = tree::figures_of(checked, hosts);
    const auto messages = figures.edges[static_cast<std::size_t>(tree::EdgeKind::message)];
    const bool shared = messages < figures.leaves + figures.joins - 1;
    if (options.json) {
        auto json = report::tree_json(checked, hosts);
        json["file"] = options.file;
        json["fits"] = true;
        json["procs_checked"] = job.procs > 0;
        json["hosts_checked"] = !hosts.empty();
        report::print("{}", report::document(json));
        return;
    }
    report::print("{}: no mistakes. {}", printable(options.file), tree::figures_text(checked, hosts));
    if (job.procs == 0) {
        report::print("Not checked: whether it fits a job (-n).\n");
    }
    if (shared && hosts.empty()) {
        report::print("Not checked: whether edges of shared memory stay within a host (--hosts).\n");
    }
}

}  // namespace

void add_tree_check(const Command& tree, Invocation& /*invocation*/) {
    const auto options = std::make_shared<TreeCheckOptions>();
    const auto command = tree.subcommand("check", "Check a tree file, by itself and for a job",
                                         "fathom tree check mine.toml -n 8 --hosts a:4,b:4",
                                         [options] { check_tree(*options); });
    command.option("file", options->file, "tree file").value_name("FILE").required();
    add_tree_job_options(command, options->job);
    command.flag("--json", options->json, "one JSON document on stdout");
}

}  // namespace fathom::cli
