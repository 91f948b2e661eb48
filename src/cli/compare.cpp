#include <memory>
#include <optional>
#include <unistd.h>

#include <fmt/format.h>

#include "analysis/across_runs/comparison.hpp"
#include "base/text.hpp"
#include "cli/command_line.hpp"
#include "cli/run_reference.hpp"
#include "journal/json.hpp"
#include "plan/operations.hpp"
#include "report/comparison.hpp"
#include "report/json.hpp"

namespace fathom::cli {
namespace {

struct CompareOptions {
    std::string first;
    std::string second;
    std::string db;
    std::string operation;
    std::string fail_above;
    std::string negligible;
    bool json = false;
};

/// `5%`, `5 %` or `5` as 0.05.
double share_of(const std::string& option, const std::string& text) {
    auto number = trimmed(text);
    if (number.ends_with('%')) {
        number = trimmed(number.substr(0, number.size() - 1));
    }
    constexpr double most_percent = 1e6;
    std::size_t read = 0;
    double percent = -1;
    try {
        percent = std::stod(number, &read);
    } catch (const std::exception&) {
        read = 0;
    }
    if (read == 0 || read != number.size() || !(percent >= 0 && percent <= most_percent)) {
        throw BadInput(fmt::format("{} is \"{}\"; give a percentage such as 5%.", option, text));
    }
    return percent / 100;
}

void compare(const CompareOptions& options, Invocation& invocation) {
    analysis::ComparisonLimits limits;
    if (!options.fail_above.empty()) {
        limits.limit = share_of("--fail-above", options.fail_above);
    }
    if (!options.negligible.empty()) {
        limits.negligible = share_of("--negligible", options.negligible);
    }
    if (!options.operation.empty()) {
        plan::find_operation(options.operation);
    }
    const auto first = find_run(options.first, options.db);
    const auto second = find_run(options.second, options.db);
    const auto names = analysis::names_of(
        {{first.store.path().string(), first.run.id}, {second.store.path().string(), second.run.id}});
    const auto comparison = analysis::compare(
        analysis::measured_run(first.store, first.run, names[0], true),
        analysis::measured_run(second.store, second.run, names[1], true), limits, options.operation);
    if (options.json) {
        fmt::print("{}", report::document(report::comparison_json(comparison)));
    } else {
        fmt::print("{}", report::comparison_text(comparison, report::Terminal::of(STDOUT_FILENO)));
    }
    if (!options.fail_above.empty() && !comparison.holds()) {
        invocation.status = ExitStatus::check_failed;
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
    command
        .option("--fail-above", options->fail_above,
                "exit with status 1 if a point is significantly slower by more than this, or fails in B only "
                "(default: never; changes up to 5 % count as the same)")
        .value_name("PERCENT")
        .not_empty();
    command
        .option("--negligible", options->negligible,
                "smaller changes are never called slower or faster, even if significant (default: 1 %)")
        .value_name("PERCENT")
        .not_empty();
    command.option("--op", options->operation, "only this operation").value_name("NAME").not_empty();
    command.flag("--json", options->json, "one JSON document on stdout");
}

}  // namespace fathom::cli
