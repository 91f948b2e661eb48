#include "cli/gate.hpp"

#include <cstdio>
#include <unistd.h>

#include <fmt/format.h>

#include "base/printable.hpp"
#include "base/text.hpp"
#include "report/comparison.hpp"
#include "report/json.hpp"
#include "report/output.hpp"
#include "report/paragraph.hpp"

namespace fathom::cli {
namespace {

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

ExitStatus status_of(analysis::Gate gate, bool allow_undecided) {
    switch (gate) {
        case analysis::Gate::fails:
            return ExitStatus::check_failed;
        case analysis::Gate::undecided:
            return allow_undecided ? ExitStatus::done : ExitStatus::undecided;
        case analysis::Gate::holds:
            break;
    }
    return ExitStatus::done;
}

}  // namespace

std::vector<Option> add_gate_options(const Command& command, GateOptions& options, const std::string& b) {
    return {
        command
            .option("--fail-above", options.fail_above,
                    fmt::format("exit with status 1 if a point is slower by more than this (its whole 95 % "
                                "interval), or fails in {} only, and with 4 if none is but some are "
                                "undecided (default: never; changes up to 5 % count as the same)",
                                b))
            .value_name("PERCENT")
            .not_empty(),
        command
            .option("--negligible", options.negligible,
                    "smaller changes are never called slower or faster, even if significant (default: 1 %)")
            .value_name("PERCENT")
            .not_empty(),
        command.flag(
            "--allow-undecided", options.allow_undecided,
            "with --fail-above: exit with status 0, not 4, if points are undecided and none is slower")};
}

analysis::ComparisonLimits limits_of(const GateOptions& options) {
    analysis::ComparisonLimits limits;
    if (!options.fail_above.empty()) {
        limits.limit = share_of("--fail-above", options.fail_above);
    }
    if (!options.negligible.empty()) {
        limits.negligible = share_of("--negligible", options.negligible);
    }
    return limits;
}

ExitStatus conclude_comparison(const analysis::Comparison& comparison, const GateOptions& options,
                               const GateRemarks& remarks, bool json) {
    const bool open = comparison.open() > 0 && !remarks.to_decide.empty();
    if (json) {
        auto document = report::comparison_json(comparison);
        document["to_decide"] = open ? nlohmann::ordered_json(remarks.to_decide) : nlohmann::ordered_json();
        if (!remarks.measuring.is_null()) {
            document["measuring"] = remarks.measuring;
        }
        report::print("{}", report::document(document));
    } else {
        const auto terminal = report::Terminal::of(STDOUT_FILENO, options.wide);
        report::print("{}{}{}", report::comparison_text(comparison, terminal),
                      report::fitted(remarks.ending, terminal),
                      open ? fmt::format("To decide: {}\n", printable(remarks.to_decide)) : "");
    }
    return options.fail_above.empty() ? ExitStatus::done
                                      : status_of(comparison.gate(), options.allow_undecided);
}

}  // namespace fathom::cli
