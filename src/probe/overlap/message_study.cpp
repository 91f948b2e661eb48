// Post-work-wait after Doerfler and Brightwell: the work grows until the message no longer hides it.
#include <algorithm>
#include <cmath>

#include "probe/overlap/study.hpp"
#include "stats/work_curve.hpp"

namespace fathom::probe {
namespace {

/// How the work grows: in even steps where the curve bends, faster beyond.
class Growth {
  public:
    Growth(double base, const WorkRate& rate, Nanoseconds resolution, Nanoseconds limit)
        : step_(base / (base > static_cast<double>(slow.count) ? few_steps_to_base : steps_to_base)),
          even_until_(even_beyond_base * base),
          limit_(static_cast<double>(limit.count)) {
        step_ = std::max({step_, ticks * static_cast<double>(resolution.count), units * rate.unit_ns});
    }

    /// The work after this one; the same again if that is all there may be.
    [[nodiscard]] double after(double work) {
        if (work > even_until_) {
            step_ *= 2;
        }
        return std::min(work + step_, limit_);
    }

  private:
    static constexpr double steps_to_base = 10;
    static constexpr double few_steps_to_base = 5;
    static constexpr double even_beyond_base = 1.3;
    static constexpr double ticks = 4;   // of the clock, that a step is longer than
    static constexpr double units = 10;  // of work, likewise
    double step_;
    double even_until_;
    double limit_;
};

constexpr std::int64_t enough = -1;

/// Makes the first round, which finds out which steps there are.
void find_steps(OverlapStudy& study, const StudyBench& bench, const plan::OverlapSettings& settings) {
    const auto step_with = [&](std::int64_t work_ns) {
        const Nanoseconds work{work_ns};
        return study.add(
            {.scheme = Scheme::work, .work = work, .units = work_ns > 0 ? study.rate().units_for(work) : 0});
    };
    study.run(step_with(0), 2);
    const double transfer = study.median_span();
    const double threshold =
        settings.base_threshold.value_or(stats::base_threshold_for(study.relative_noise()));
    constexpr std::int64_t ns_per_ms = 1'000'000;
    const Nanoseconds limit{settings.work_limit_ms * ns_per_ms};
    stats::WorkCurve curve(threshold, settings.stop_threshold);
    curve.add(0, study.median_time());
    Growth growth(study.median_time(), study.rate(), bench.resolution, limit);
    std::int64_t work = 0;
    int beyond = 0;  // steps that were far enough: two, since other rounds may be slower than this one
    while (true) {
        const auto more = std::llround(growth.after(static_cast<double>(work)));
        beyond = curve.stops(transfer) ? beyond + 1 : 0;
        const bool ends = beyond > 1 || more == work;
        const auto next = study.word_of_first(ends ? enough : more);
        if (next == enough) {
            break;
        }
        work = next;
        study.run(step_with(work));
        curve.add(static_cast<double>(work), study.median_time());
    }
    if (study.first()) {
        study.tally()["base_threshold"] = threshold;
        study.tally()["stop_threshold"] = settings.stop_threshold;
        study.tally()["work_limit_ns"] = static_cast<double>(limit.count);
    }
}

}  // namespace

StudyResult study_message(const StudyBench& bench, const StudyRules& rules) {
    OverlapStudy study(bench, rules, bench.group.rank() == 0);
    constexpr std::int64_t where_it_counts = 3;  // repetitions of what the overhead is taken from
    if (!study.begin_round(0)) {
        return study.end();
    }
    find_steps(study, bench, rules.settings);
    const int longest = static_cast<int>(study.steps().size()) - 1;
    auto last = study.steps().back();
    last.scheme = Scheme::alone;
    study.add(last);
    last.scheme = Scheme::work;
    last.tests = rules.settings.tests;
    if (last.tests > 0) {
        study.add(last);
    }
    for (int step = longest; step < static_cast<int>(study.steps().size()); ++step) {
        study.run(step, where_it_counts);
    }
    for (int round = 1; round < study.rounds() && study.begin_round(round); ++round) {
        study.run_shuffled(longest, where_it_counts);
    }
    return study.end();
}

}  // namespace fathom::probe
