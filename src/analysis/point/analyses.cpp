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

void PointAnalyses::keep_only(const Asked& asked) {
    if (!asked.distribution) {
        distribution.reset();
        distribution_by_rank.clear();
    }
    if (!asked.tails) {
        tails.reset();
    }
    if (!asked.timeouts) {
        timeouts.reset();
    }
    if (!asked.processes) {
        processes.reset();
    }
    if (!asked.explanation) {
        explanation.reset();
    }
}

PointAnalyses analyse(const Repetitions& repetitions, const Evidence& evidence, bool over_tcp, bool each,
                      const Asked& asked) {
    PointAnalyses found;
    if (repetitions.times.empty() || !asked.any()) {
        return found;
    }
    const auto all = each ? pooled(repetitions) : std::vector<double>{};
    const auto& times = repetitions.times;
    if (asked.distribution) {
        found.distribution = each ? distribution_of(all, worth_of(repetitions.by_rank, stats::median_of(all)))
                                  : distribution_of(times);
        for (const auto& [rank, own] : each ? repetitions.by_rank : std::map<int, std::vector<double>>{}) {
            found.distribution_by_rank.emplace(rank, distribution_of(own));
        }
    }
    if (asked.tails) {
        found.tails = each ? tails_of(all, [&](double at) { return worth_of(repetitions.by_rank, at); })
                           : tails_of(times);
    }
    if (asked.processes && !repetitions.by_rank.empty()) {
        found.processes = processes_of(repetitions, evidence.hosts);
    }
    if (asked.timeouts || asked.explanation) {
        auto timeouts = timeouts_of(repetitions, evidence, over_tcp);
        if (asked.explanation) {
            found.explanation = explanation_of(repetitions, evidence, timeouts);
        }
        if (asked.timeouts) {
            if (found.explanation) {
                found.explanation->timeouts.reset();  // they stand by themselves then
            }
            found.timeouts = std::move(timeouts);
        }
    }
    return found;
}

}  // namespace fathom::analysis
