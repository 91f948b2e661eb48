#include "probe/overlap/study.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "stats/quantile.hpp"

namespace fathom::probe {
namespace {

double middle(std::vector<double> values) {
    std::ranges::sort(values);
    return stats::quantile(values, 0.5);
}

}  // namespace

OverlapStudy::OverlapStudy(const StudyBench& bench, const StudyRules& rules, bool works)
    : bench_(bench),
      rules_(rules),
      loop_(bench.group, bench.clock, bench.worker, works),
      rate_(bench.worker.calibrate()),
      rounds_(rules.rounds) {
    result_.tally["work_unit_before_ns"] = rate_.unit_ns;
    result_.tally["resolution_ns"] = static_cast<double>(bench.resolution.count);
    settle_extent();
}

/// Rounds make the interval, so there are six at least; what time is left goes into repetitions.
void OverlapStudy::settle_extent() {
    constexpr int least_rounds = 6;
    const std::int64_t least_reps = rules_.at_once > slow ? 1 : 3;
    constexpr std::int64_t most_reps = 30;
    constexpr double usual_steps = 24;
    constexpr double with_work = 1.5;
    constexpr double to_start_ns = 30'000;
    if (rules_.reps) {
        reps_ = std::max<std::int64_t>(1, (*rules_.reps + rounds_ - 1) / rounds_);
        return;
    }
    if (rules_.simulated) {
        return;
    }
    const double one_each =
        usual_steps * (with_work * static_cast<double>(rules_.at_once.count) + to_start_ns);
    const double affordable = static_cast<double>(rules_.budget.count) / one_each;
    if (affordable < static_cast<double>(rounds_ * least_reps)) {
        rounds_ = std::max(least_rounds, static_cast<int>(affordable / static_cast<double>(least_reps)));
    }
    reps_ = std::clamp(static_cast<std::int64_t>(affordable / rounds_), least_reps, most_reps);
}

int OverlapStudy::add(const Step& step) {
    result_.steps.push_back(step);
    return static_cast<int>(result_.steps.size()) - 1;
}

bool OverlapStudy::begin_round(int round) {
    round_ = round;
    if (round > 0 && bench_.pause) {
        bench_.pause(rules_.at_once);
    }
    result_.failure = bench_.renew(loop_);
    return result_.failure.empty();
}

void OverlapStudy::run(int step, std::int64_t share) {
    const auto& what = result_.steps.at(static_cast<std::size_t>(step));
    const auto longest = rules_.at_once + what.work;
    auto& start = starts_[step];
    if (!start) {
        start = bench_.make_start(longest);
    }
    const auto reps = rules_.simulated ? reps_ : reps_ * share;
    const auto begin = bench_.clock.now();
    loop_.run(what, step, round_, reps, *start);
    // A rank that waited long leaves a large margin for the next start. In the few repetitions of a step
    // that would not wear off: the next round begins with a new guess instead.
    constexpr std::int64_t patience = 4;
    constexpr std::int64_t usual_start_ns = 100'000;
    const auto took = bench_.group.largest((bench_.clock.now() - begin).count);
    if (took > patience * reps * (usual_start_ns + longest.count)) {
        start.reset();
    }
}

void OverlapStudy::run_shuffled(int last, std::int64_t share) {
    std::vector<int> order(static_cast<std::size_t>(last) + 1);
    std::iota(order.begin(), order.end(), 0);
    // std::shuffle may differ from library to library.
    std::mt19937_64 random(static_cast<std::uint64_t>(round_) + 1);
    for (std::size_t i = order.size() - 1; i > 0; --i) {
        std::swap(order[i], order[random() % (i + 1)]);
    }
    for (const int step : order) {
        if (step < last) {
            run(step);
            continue;
        }
        for (int also = last; also < static_cast<int>(result_.steps.size()); ++also) {
            run(also, share);
        }
    }
}

StudyResult OverlapStudy::end() {
    if (!result_.failure.empty()) {
        return std::move(result_);
    }
    // With the last step that communicates.
    const auto step = std::find_if(result_.steps.rbegin(), result_.steps.rend(),
                                   [](const Step& one) { return one.scheme != Scheme::alone; });
    if (step != result_.steps.rend()) {
        const auto start = bench_.make_start(rules_.at_once + step->work);
        result_.wrong = loop_.checked(*step, *start);
    }
    result_.tally["work_unit_after_ns"] = bench_.worker.calibrate().unit_ns;
    result_.samples = loop_.samples();
    return std::move(result_);
}

/// All, if none is valid: what is decided by them must go on somehow.
std::vector<double> OverlapStudy::valid_times() const {
    std::vector<double> valid;
    std::vector<double> all;
    for (const auto& sample : loop_.last()) {
        const auto time = static_cast<double>((sample.whole - bench_.empty).count);
        all.push_back(time);
        if (sample.valid) {
            valid.push_back(time);
        }
    }
    return valid.empty() ? all : valid;
}

double OverlapStudy::median_time() const {
    return middle(valid_times());
}

double OverlapStudy::median_span() {
    std::vector<std::int64_t> before_starts;
    std::vector<std::int64_t> ends;
    for (const auto& sample : loop_.last()) {
        const auto start = bench_.global(sample.start);
        before_starts.push_back(-start.count);
        ends.push_back((start + sample.whole - bench_.empty).count);
    }
    bench_.group.largest_each(before_starts);
    bench_.group.largest_each(ends);
    std::vector<double> spans;
    for (std::size_t i = 0; i < ends.size(); ++i) {
        spans.push_back(static_cast<double>(ends[i] + before_starts[i]));
    }
    return middle(std::move(spans));
}

/// Standard error of a median by the quartiles, as if times were normal.
double OverlapStudy::relative_noise() const {
    constexpr double quartiles_to_sigma = 1.349;
    constexpr double of_a_median = 1.2533;
    auto times = valid_times();
    std::ranges::sort(times);
    const double median = stats::quantile(times, 0.5);
    const double sigma = (stats::quantile(times, 0.75) - stats::quantile(times, 0.25)) / quartiles_to_sigma;
    return median > 0 ? of_a_median * sigma / std::sqrt(static_cast<double>(times.size())) / median : 0;
}

std::int64_t OverlapStudy::word_of_first(std::int64_t word) {
    return bench_.group.largest(first() ? word : INT64_MIN);
}

}  // namespace fathom::probe
