#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "cli/given_settings.hpp"
#include "cli/measure.hpp"
#include "plan/plan.hpp"

namespace fathom::cli {

/// What is given to `fathom tune`.
struct TuneOptions {
    GivenSettings given;
    MeasureOptions measure;
    bool resume = false;
    bool all = false;
    bool no_files = false;
    std::string output;
    std::string prove;
    bool commutative = false;
    std::vector<std::string> from;
    std::vector<std::string> parameters;
};

/// What is measured if nothing else is given.
plan::Plan plan_of_tuning();
inline constexpr double tuning_budget_s = 120;

/// Settings that a proof takes from the tuning, all of them texts.
inline constexpr auto proven_settings =
    std::to_array<std::string_view>({"root", "cache", "over_ranks", "type", "reduce_op"});

/// Races the library's algorithms, and writes and proves its files.
ExitStatus tune_library(const plan::Plan& plan, const TuneOptions& options);

/// Measures with the files of a tuning and without (--prove).
ExitStatus prove_tuning(TuneOptions& options);

}  // namespace fathom::cli
