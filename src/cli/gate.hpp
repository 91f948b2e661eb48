#pragma once

#include <string>
#include <vector>

#include "analysis/across_runs/comparison.hpp"
#include "base/error.hpp"
#include "cli/command_line.hpp"
#include "journal/json.hpp"

namespace fathom::cli {

/// Options of commands that compare runs and may fail.
struct GateOptions {
    std::string fail_above;
    std::string negligible;
    bool allow_undecided = false;
    bool wide = false;  ///< tables with all columns

    [[nodiscard]] bool any() const { return !fail_above.empty() || !negligible.empty() || allow_undecided; }
};

/// `b` is what help calls the run that may be slower.
std::vector<Option> add_gate_options(const Command& command, GateOptions& options, const std::string& b);

/// Throws BadInput where a percentage is none.
analysis::ComparisonLimits limits_of(const GateOptions& options);

/// What a command says after a comparison.
struct GateRemarks {
    std::string to_decide = {};             ///< the command that decides what is undecided, if there is one
    std::string ending = {};                ///< why no more was measured, as a line of text
    nlohmann::ordered_json measuring = {};  ///< the same as JSON
};

/// Prints a comparison; the status is that of its gate if there is one.
ExitStatus conclude_comparison(const analysis::Comparison& comparison, const GateOptions& options,
                               const GateRemarks& remarks, bool json);

}  // namespace fathom::cli
