#include <memory>
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "analysis/point_result.hpp"
#include "cli/command_line.hpp"
#include "cli/run_text.hpp"
#include "report/json.hpp"
#include "store/store.hpp"

namespace fathom::cli {
namespace {

struct Options {
    std::string run = "last";
    std::string db;
    bool json = false;
    bool plan = false;
    bool environment = false;
};

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

void show(const Options& options) {
    const auto store = store::Store::open(options.db);
    const auto run = store.find_run(options.run);
    if (options.plan) {
        fmt::print("{}", run.plan_toml);
    } else if (options.json) {
        fmt::print("{}", report::document(report::run_json(store, analysis::evaluate(store, run))));
    } else {
        fmt::print("{}", run_text(analysis::evaluate(store, run), report::Terminal::of(STDOUT_FILENO)));
        if (options.environment) {
            print_environment(store, run);
        }
    }
}

}  // namespace

void add_show(CLI::App& app, Invocation& /*invocation*/) {
    const auto options = std::make_shared<Options>();
    auto* command =
        add_subcommand(app, "show", "Show a stored run", "fathom show last", [options] { show(*options); });
    command->add_option("run", options->run, "number, label or 'last'")
        ->type_name("RUN")
        ->capture_default_str();
    add_db_option(*command, options->db);
    command->add_flag("--json", options->json, "one JSON document on stdout");
    command->add_flag("--plan", options->plan, "the plan as TOML, for 'fathom run --plan'");
    command->add_flag("--environment", options->environment, "also hosts, processes and settings");
}

}  // namespace fathom::cli
