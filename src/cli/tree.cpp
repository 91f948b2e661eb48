#include "cli/tree.hpp"

#include <fmt/format.h>

#include "base/printable.hpp"
#include "cli/tree_analysis.hpp"
#include "tree/contributors.hpp"

namespace fathom::cli {

void add_tree_job_options(const Command& command, TreeJobOptions& options) {
    command.option("-n,--procs", options.procs, "number of ranks")
        .value_name("N")
        .between(1, tree::most_leaves);
    command
        .option(
            "--hosts", options.hosts,
            "where the ranks are: a number of hosts (ranks by block), or hosts with their ranks, as a:4,b:4")
        .value_name("HOSTS")
        .not_empty();
}

tree::Job tree_job(const TreeJobOptions& options) {
    tree::Job job{.procs = options.procs};
    if (options.hosts.empty()) {
        return job;
    }
    try {
        job.hosts = tree::hosts_from(options.hosts, options.procs);
    } catch (const BadInput& error) {
        throw BadInput(fmt::format("--hosts is \"{}\"; {}.", printable_name(options.hosts), error.what()));
    }
    job.procs = static_cast<int>(job.hosts.size());
    return job;
}

void add_tree(const Command& program, Invocation& invocation) {
    const auto tree =
        program.group("tree", "Make, draw, check, analyse, compare and improve spanning trees of collectives",
                      "fathom tree make binomial -n 8 -o binomial.toml", "tree command");
    for (const auto add : {add_tree_make, add_tree_show, add_tree_check, add_tree_analyze, add_tree_compare,
                           add_tree_export, add_tree_optimize}) {
        add(tree, invocation);
    }
}

}  // namespace fathom::cli
