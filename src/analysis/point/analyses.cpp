#include "analysis/point/analyses.hpp"

#include "stats/effective_sample_size.hpp"
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

/// The sum over ranks: serial correlation is that within a rank's own series.
double sample_size_at(const std::map<int, std::vector<double>>& by_rank, double threshold) {
    double size = 0;
    for (const auto& [rank, times] : by_rank) {
        size += stats::effective_sample_size(times, threshold);
    }
    return size;
}

}  // namespace

PointAnalyses analyse(const Repetitions& repetitions, const Evidence& evidence, bool over_tcp, bool each) {
    PointAnalyses found;
    if (repetitions.times.empty()) {
        return found;
    }
    if (each) {
        const auto all = pooled(repetitions);
        found.distribution = distribution_of(all, sample_size_at(repetitions.by_rank, stats::median_of(all)));
        found.tails = tails_of(all, [&](double at) { return sample_size_at(repetitions.by_rank, at); });
    } else {
        found.distribution = distribution_of(repetitions.times);
        found.tails = tails_of(repetitions.times);
    }
    found.timeouts = timeouts_of(repetitions, evidence, over_tcp);
    found.explanation = explanation_of(repetitions, evidence, found.timeouts);
    return found;
}

CountedTimes analyse_counted(std::span<const double> in_order) {
    return in_order.empty()
               ? CountedTimes{}
               : CountedTimes{.distribution = distribution_of(in_order), .tails = tails_of(in_order)};
}

}  // namespace fathom::analysis
