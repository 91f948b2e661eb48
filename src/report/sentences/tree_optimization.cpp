#include "report/sentences/tree_optimization.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/units.hpp"

namespace fathom::report {
namespace {

std::string stop_text(tree::StopReason stop) {
    switch (stop) {
        case tree::StopReason::nothing_better:
            return "The model expects nothing better, or the last rounds found nothing.";
        case tree::StopReason::out_of_time:
            return "The time is up; more of it (--budget) may find more.";
    }
    return {};
}

}  // namespace

std::string sentence(const tree::Optimization& found) {
    const auto accepted = std::count_if(found.trials.begin(), found.trials.end(),
                                        [](const tree::Trial& trial) { return trial.accepted; });
    auto text =
        fmt::format("{} measurements; {} better than the best before. {}", found.trials.size(),
                    accepted == 1 ? "one was" : fmt::format("{} were", accepted), stop_text(found.stop));
    if (found.sites > 1) {
        text += " Some hosts are far from the others: a second site.";
    }
    if (found.predictions > 0) {
        constexpr double percent = 100;
        text += fmt::format(
            " Predictions of the {} candidates were off by {:.1f} % on average; the model fits "
            "everything measured to {:.1f} %.",
            found.predictions, percent * found.error_of_prediction, percent * found.error_of_fit);
    }
    return text;
}

}  // namespace fathom::report
