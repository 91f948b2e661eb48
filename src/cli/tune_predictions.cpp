#include "cli/tune_predictions.hpp"

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "report/output.hpp"
#include "tune/measured/prediction.hpp"
#include "tune/model/library_models.hpp"

namespace fathom::cli {
namespace {

constexpr std::string_view library_prefix = "library:";

/// Where processes are, for numbers that were measured and those between them: each host gets as many as the
/// next larger number of processes has on one.
tune::Layout layout_between(const std::map<int, tune::Placement>& measured, int procs) {
    const auto above = measured.lower_bound(procs);
    const auto& placement = above == measured.end() ? measured.rbegin()->second : above->second;
    const int each = std::max(1, placement.procs_per_host);
    return tune::Layout::blocks(procs, std::min((procs + each - 1) / each, placement.hosts));
}

}  // namespace

void add_predictions(const SourceRuns& runs, std::span<const std::string> hosts, plan::Flavour flavour,
                     tune::TunedOperation& tuned) {
    if (runs.sources.empty() || tune::algorithms_of(tuned.operation).empty()) {
        return;
    }
    tune::PredictionTask task{.operation = tuned.operation,
                              .layout = tune::Layout::of(hosts),
                              .network = {},
                              .settings = {},
                              .sizes = {}};
    try {
        task.network = network_from(tune::parameters_of(runs.sources), task.layout.hosts(), "");
    } catch (const BadInput& error) {  // the processes are not where those of the runs were
        report::print(stderr, "fathom: {} is not predicted: {}\n", tuned.operation, error.what());
        return;
    }
    for (const auto& at : tuned.race.best) {
        task.sizes.push_back(at.size);
    }
    const auto prediction = tune::predict(task);
    for (std::size_t way = 0; way < tuned.ways.size(); ++way) {
        const auto name = tuned.ways[way].substr(std::min(tuned.ways[way].size(), library_prefix.size()));
        const auto* const model = tune::model_of_library(flavour, tuned.operation, name);
        const auto found = std::ranges::find(prediction.algorithms, model);
        if (found == prediction.algorithms.end()) {
            continue;
        }
        const auto& curve =
            prediction.curves[static_cast<std::size_t>(found - prediction.algorithms.begin())];
        for (const auto size : task.sizes) {
            const double time_ns = curve.at(size);
            tuned.predictions.push_back(
                {.point = {way, size}, .time_ns = time_ns, .ci95_ns = {time_ns, time_ns}});
        }
    }
}

std::optional<tune::RuleModel> rule_model(const SourceRuns& runs, const tune::Tuning& tuning) {
    if (runs.sources.empty() || tuning.operations.empty()) {
        return std::nullopt;
    }
    std::map<int, tune::Placement> measured;
    for (const auto& tuned : tuning.operations) {
        measured[tuned.procs] = tuned.placement;
    }
    try {
        return tune::RuleModel{
            .flavour = tuning.flavour,
            .network = network_from(tune::parameters_of(runs.sources), tuning.placement.hosts, ""),
            .layout = [measured](int procs) { return layout_between(measured, procs); }};
    } catch (const BadInput&) {  // said when these operations could not be predicted
        return std::nullopt;
    }
}

}  // namespace fathom::cli
