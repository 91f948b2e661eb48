#include "analysis/across_runs/comparison.hpp"
#include "analysis/run/run_kind.hpp"

namespace fathom::analysis {
namespace {

stats::KnownVariance half_if(bool shared, stats::KnownVariance variance) {
    if (shared && variance.freedom) {
        *variance.freedom /= 2;
    }
    return variance;
}

Turns turns_of(const MeasuredRun& run) {
    return {.run = run.result.run.id,
            .in_turn_with = run.result.run.in_turn_with,
            .launch_jobs = run.launch_jobs};
}

}  // namespace

stats::KnownVariance TermBetweenRuns::of_first(const PointKey& key) const {
    return half_if(shared, first.of(key));
}

stats::KnownVariance TermBetweenRuns::of_second(const PointKey& key) const {
    return half_if(shared, second.of(key));
}

TermBetweenRuns term_between(const Comparison& comparison) {
    const auto& first = comparison.first;
    const auto& second = comparison.second;
    if (!first.file.empty() && first.file == second.file) {
        if (first.launch_jobs == second.launch_jobs) {
            return {};  // one run, held against itself
        }
        if (took_turns(turns_of(first), turns_of(second))) {
            return {.in_turn = true};
        }
    }
    TermBetweenRuns term{.first = first.result.between_runs, .second = second.result.between_runs};
    const bool given =
        term.first.source == BetweenRunsSource::given || term.second.source == BetweenRunsSource::given;
    if (comparison.differences.empty() && !comparison.across_procs && !given) {
        if (term.first.runs < term.second.runs) {
            term.first = term.second;
        } else {
            term.second = term.first;
        }
        term.shared = true;
    }
    return term;
}

}  // namespace fathom::analysis
