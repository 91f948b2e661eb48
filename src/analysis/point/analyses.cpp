#include "analysis/point/analyses.hpp"

#include "stats/independent_count.hpp"
#include "stats/quantile.hpp"

namespace fathom::analysis {
namespace {

/// All times of all ranks, as one series.
std::vector<double> pooled(const Repetitions& repetitions) {
    std::vector<double> all;
    for (const auto& [rank, times] : repetitions.by_rank) {
        all.insert(all.end(), times.begin(), times.end());
    }
    return all;
}

/// Ranks differ for good; what a rank's times are worth is told by its own order.
double worth_of(const std::map<int, std::vector<double>>& by_rank, double threshold) {
    double worth = 0;
    for (const auto& [rank, times] : by_rank) {
        worth += stats::independent_count(times, threshold);
    }
    return worth;
}

}  // namespace

PointAnalyses analyse(const Repetitions& repetitions, const Evidence& evidence, bool over_tcp, bool each) {
    PointAnalyses found;
    if (repetitions.times.empty()) {
        return found;
    }
    if (each) {
        const auto all = pooled(repetitions);
        found.distribution = distribution_of(all, worth_of(repetitions.by_rank, stats::median_of(all)));
        found.tails = tails_of(all, [&](double at) { return worth_of(repetitions.by_rank, at); });
    } else {
        found.distribution = distribution_of(repetitions.times);
        found.tails = tails_of(repetitions.times);
    }
    found.timeouts = timeouts_of(repetitions, evidence, over_tcp);
    found.explanation = explanation_of(repetitions, evidence, found.timeouts);
    return found;
}

}  // namespace fathom::analysis
