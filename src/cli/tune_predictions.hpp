#pragma once

#include <optional>
#include <span>
#include <string>

#include "cli/model_sources.hpp"
#include "tune/files/between.hpp"
#include "tune/search/tuning.hpp"

namespace fathom::cli {

/// Adds the times of the algorithms that have a model, by the parameters of runs that were named. `hosts` are
/// those of the ranks that were measured. Says so if the runs do not tell what these need.
void add_predictions(const SourceRuns& runs, std::span<const std::string> hosts, plan::Flavour flavour,
                     tune::TunedOperation& tuned);

/// By the same parameters, for numbers of processes between those of a tuning. Nothing without runs, or if
/// these do not tell what is needed.
std::optional<tune::RuleModel> rule_model(const SourceRuns& runs, const tune::Tuning& tuning);

}  // namespace fathom::cli
