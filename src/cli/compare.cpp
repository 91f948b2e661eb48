#include <memory>

#include <fmt/format.h>

#include "analysis/across_runs/comparison.hpp"
#include "cli/command_line.hpp"
#include "cli/gate.hpp"
#include "cli/run_reference.hpp"
#include "cli/stored_run.hpp"
#include "cli/to_decide.hpp"
#include "plan/operations.hpp"

namespace fathom::cli {
namespace {

struct CompareOptions {
    std::string first;
    std::string second;
    std::string db;
    std::string operation;
    GateOptions gate;
    bool json = false;
};

void compare(const CompareOptions& options, Invocation& invocation) {
    const auto limits = limits_of(options.gate);
    const auto operation =
        options.operation.empty() ? std::string_view() : plan::operation_given(options.operation).name;
    const auto first = find_run(options.first, options.db);
    const auto second = find_run(options.second, options.db);
    const auto names = analysis::names_of({{first.store.path().string(), first.run.id, first.run.label},
                                           {second.store.path().string(), second.run.id, second.run.label}});
    const auto comparison = analysis::compare(
        analysis::measured_run(first.store, first.run, names[0], true),
        analysis::measured_run(second.store, second.run, names[1], true), limits, std::string(operation));
    const auto to_decide = comparison.open() > 0
                               ? command_to_decide(first, second, operation, options.gate, options.db)
                               : std::string();
    invocation.status = conclude_comparison(comparison, options.gate, {.to_decide = to_decide}, options.json);
    for (const auto* run : {&first, &second}) {
        invocation.status = status_of_reading(run->store, invocation.status);
    }
}

}  // namespace

void add_compare(const Command& program, Invocation& invocation) {
    const auto options = std::make_shared<CompareOptions>();
    const auto command = program.subcommand("compare", "Compare two runs, point by point",
                                            "fathom compare baseline last --fail-above 5%",
                                            [options, &invocation] { compare(*options, invocation); });
    command.option("first", options->first, fmt::format("the reference run: {}", run_reference_help))
        .value_name("A")
        .required();
    command.option("second", options->second, "the run to compare with it, named the same way")
        .value_name("B")
        .required();
    command.db_option(options->db);
    (void)add_gate_options(command, options->gate, "B");
    command.flag("--wide", options->gate.wide, "all columns, however wide the terminal is");
    command.option("--op", options->operation, "only this operation").value_name("NAME").not_empty();
    command.flag("--json", options->json, "one JSON document on stdout");
}

}  // namespace fathom::cli
