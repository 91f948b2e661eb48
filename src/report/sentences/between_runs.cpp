#include "report/sentences/between_runs.hpp"

#include <fmt/format.h>

namespace fathom::report {

std::string sentence_on(const analysis::BetweenRuns& between_runs) {
    using Source = analysis::BetweenRunsSource;
    if (between_runs.usual.value <= 0) {
        return {};
    }
    const auto share = fmt::format("{:.2g} % variation between runs", between_runs.percent());
    switch (between_runs.source) {
        case Source::none:
            break;
        case Source::given:
            return share + " (--between-runs)";
        case Source::assumed:
            return share + " (assumed until two earlier runs of this plan are stored)";
        case Source::learned:
            return fmt::format("{}, learned from {} stored runs", share, between_runs.runs);
    }
    return {};
}

}  // namespace fathom::report
