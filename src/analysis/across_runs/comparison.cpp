#include "analysis/across_runs/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "analysis/point/distribution.hpp"
#include "base/error.hpp"
#include "plan/operations.hpp"
#include "stats/change_points/curve_point.hpp"
#include "stats/comparison/bootstrap.hpp"
#include "stats/comparison/mann_whitney.hpp"
#include "stats/comparison/multiple_tests.hpp"
#include "stats/comparison/scatter.hpp"

namespace fathom::analysis {
namespace {

/// With fewer points, the difference between launches cannot be estimated.
constexpr std::size_t enough_points = 8;
/// Launches on one machine that differ by more than this were not measured under the same conditions.
constexpr double most_scatter = 0.02;
/// Launches affect some points several times as much as the median point. Where only the table shows how
/// much, a change must stand out from this many times that.
constexpr double doubt = 2;
/// The variance estimated from all points is weighted like this many additional launches of the point.
constexpr double weight_of_all = 4;
/// What a p value, corrected for the whole table, must stay below. A gate that runs every night must not cry
/// wolf: half of the wrong verdicts are slower ones, so this is one table in 200.
constexpr double verdict_level = 0.01;

/// Of one look.
double level_of(const ComparisonLimits& limits) {
    return verdict_level / limits.looks;
}

/// A point of both runs with what its test needs.
struct Pair {
    ComparedPoint point;
    stats::RunSample first;
    stats::RunSample second;

    [[nodiscard]] bool one_launch() const {
        return first.launches.size() == 1 && second.launches.size() == 1;
    }
    /// Simulated calls may take no time, and so may calls shorter than a step of the clock.
    [[nodiscard]] bool timed() const {
        const auto takes_time = [](const auto& launch) { return launch.median() > 0; };
        return std::all_of(first.launches.begin(), first.launches.end(), takes_time) &&
               std::all_of(second.launches.begin(), second.launches.end(), takes_time);
    }
};

/// Simulated times are exact, and equal ones are equal.
stats::RunSample sample_of(const MeasuredRun& run, const PointKey& key) {
    stats::RunSample sample;
    for (const auto& launch : run.times.at(key)) {
        sample.launches.emplace_back(launch.times, run.result.run.simulated ? 0 : longest_tick_ns,
                                     launch.disturbed);
    }
    return sample;
}

std::size_t set_aside_of(const stats::RunSample& sample) {
    std::size_t reps = 0;
    for (const auto& launch : sample.launches) {
        reps += launch.set_aside();
    }
    return reps;
}

std::size_t reps_of(const stats::RunSample& sample) {
    std::size_t reps = 0;
    for (const auto& launch : sample.launches) {
        reps += launch.sorted().size();
    }
    return reps;
}

/// The mean of the launches' relative variances.
double variance_within(const stats::RunSample& sample) {
    double sum = 0;
    for (const auto& launch : sample.launches) {
        sum += launch.relative_error() * launch.relative_error();
    }
    return sum / static_cast<double>(sample.launches.size());
}

const PointResult* find_point(const MeasuredRun& run, const PointKey& key) {
    const auto& points = run.result.points;
    const auto found =
        std::find_if(points.begin(), points.end(), [&](const auto& point) { return point.key == key; });
    return found == points.end() ? nullptr : &*found;
}

bool comparable(const PointResult* point) {
    return point != nullptr && point->status == PointStatus::ok && point->time_ns;
}

/// What to know of a point that one of the runs lacks, or has no result of.
UnmatchedPoint unmatched(const PointKey& key, bool lacking_in_first, const PointResult* lacking) {
    UnmatchedPoint point{
        .key = key, .lacking_in_first = lacking_in_first, .status = {}, .reason = {}, .no_times = {}};
    if (lacking != nullptr) {
        point.status = lacking->status;
        point.reason = lacking->reason;
        point.no_times = lacking->no_times;
    }
    return point;
}

/// Pairs the points of two runs.
class Matching {
  public:
    Matching(Comparison& comparison, const std::string& operation)
        : comparison_(comparison), operation_(operation) {
        const auto first = procs_of(comparison.first);
        const auto second = procs_of(comparison.second);
        comparison.across_procs = first.size() == 1 && second.size() == 1 && first != second;
        procs_of_first_ = comparison.across_procs ? *first.begin() : 0;
        procs_of_second_ = comparison.across_procs ? *second.begin() : 0;
    }

    std::vector<Pair> operator()() {
        std::vector<Pair> pairs;
        for (const auto& point : comparison_.first.result.points) {
            if (!wanted(point)) {
                continue;
            }
            auto key = point.key;
            auto other_key = key;
            other_key.procs = comparison_.across_procs ? procs_of_second_ : key.procs;
            const auto* other = find_point(comparison_.second, other_key);
            if (!comparable(&point)) {
                comparison_.unmatched.push_back(unmatched(key, true, &point));
                continue;
            }
            if (!comparable(other)) {
                comparison_.unmatched.push_back(unmatched(key, false, other));
                comparison_.unmatched.back().newly_failed =
                    other != nullptr && other->status == PointStatus::failed;
                continue;
            }
            pairs.push_back(pair_of(key, other_key));
            pairs.back().point.first_disturbed = point.disturbed();
            pairs.back().point.second_disturbed = other->disturbed();
        }
        for (const auto& point : comparison_.second.result.points) {
            auto key = point.key;
            key.procs = comparison_.across_procs ? procs_of_first_ : key.procs;
            if (wanted(point) && find_point(comparison_.first, key) == nullptr) {
                comparison_.unmatched.push_back(unmatched(point.key, true, nullptr));
            }
        }
        return pairs;
    }

  private:
    [[nodiscard]] bool wanted(const PointResult& point) const {
        return operation_.empty() || point.key.operation == operation_;
    }

    [[nodiscard]] Pair pair_of(const PointKey& key, const PointKey& other_key) const {
        Pair pair;
        pair.first = sample_of(comparison_.first, key);
        pair.second = sample_of(comparison_.second, other_key);
        pair.point.key = key;
        pair.point.second_procs = other_key.procs;
        pair.point.first_median_ns = pair.first.median();
        pair.point.second_median_ns = pair.second.median();
        pair.point.first_reps = reps_of(pair.first);
        pair.point.second_reps = reps_of(pair.second);
        pair.point.first_disturbed_reps = set_aside_of(pair.first);
        pair.point.second_disturbed_reps = set_aside_of(pair.second);
        pair.point.first_launches = pair.first.launches.size();
        pair.point.second_launches = pair.second.launches.size();
        return pair;
    }

    Comparison& comparison_;
    const std::string& operation_;
    int procs_of_first_ = 0;
    int procs_of_second_ = 0;
};

/// The variance between launches, beyond what repetitions within them explain. Measured where there are
/// several launches; with one each, estimated from the scatter of the ratios of all points.
class Scatter {
  public:
    Scatter(Comparison& comparison, std::vector<Pair>& pairs) : comparison_(comparison), pairs_(pairs) {}

    void put() {
        const auto& first = comparison_.first.result.run;
        const auto& second = comparison_.second.result.run;
        if (first.simulated && second.simulated) {
            comparison_.scatter = {.share = 0, .source = ScatterSource::none};
            return;
        }
        put_from_starts();
        const bool any_alone =
            std::any_of(pairs_.begin(), pairs_.end(), [](const auto& pair) { return pair.one_launch(); });
        if (any_alone) {
            put_from_table();
        }
    }

  private:
    void put_from_starts() {
        std::vector<stats::OwnVariance> own;
        double freedom = 0;
        for (const auto& pair : pairs_) {
            for (const auto* sample : {&pair.first, &pair.second}) {
                if (sample->launches.size() > 1 && pair.timed()) {
                    own.push_back({.value = stats::variance_of_starts(*sample),
                                   .freedom = static_cast<double>(sample->launches.size() - 1)});
                    freedom += own.back().freedom;
                }
            }
        }
        if (own.empty()) {
            return;
        }
        const double of_all = stats::middle_variance(own);
        comparison_.scatter = {.share = std::sqrt(of_all), .source = ScatterSource::launches};
        for (auto& pair : pairs_) {
            for (auto* sample : {&pair.first, &pair.second}) {
                if (!pair.one_launch() && pair.timed()) {
                    put_from_starts(*sample, of_all, freedom);
                }
            }
        }
    }

    /// A few launches estimate their variance poorly, so the estimate from all points is included.
    static void put_from_starts(stats::RunSample& sample, double of_all, double freedom_of_all) {
        const auto own_freedom = static_cast<double>(sample.launches.size() - 1);
        const double weight = std::min(weight_of_all, std::max(0.0, freedom_of_all - own_freedom));
        const double variance = (weight * of_all + own_freedom * stats::variance_of_starts(sample)) /
                                std::max(1.0, weight + own_freedom);
        sample.variance_between = std::max(0.0, variance - variance_within(sample));
        sample.freedom_between = std::max(1.0, weight + own_freedom);
    }

    void put_from_table() {
        std::vector<stats::Deviation> deviations;
        for (const auto& pair : pairs_) {
            if (pair.one_launch() && pair.timed()) {
                deviations.push_back(
                    {.value = std::log(pair.point.second_median_ns / pair.point.first_median_ns),
                     .error = std::hypot(pair.first.launches.front().relative_error(),
                                         pair.second.launches.front().relative_error())});
            }
        }
        const bool alike = comparison_.differences.empty() && !comparison_.across_procs;
        const bool from_table = alike && deviations.size() >= enough_points;
        // Of a ratio, which has the scatter of both.
        const double scatter = from_table
                                   ? stats::excess_scatter(deviations, most_scatter * std::numbers::sqrt2)
                                   : stats::point_scatter * std::numbers::sqrt2;
        const double freedom = from_table ? stats::freedom_of_scatter(deviations.size()) : 0;
        comparison_.scatter = {.share = scatter / std::numbers::sqrt2,
                               .source = from_table ? ScatterSource::table : ScatterSource::assumed};
        for (auto& pair : pairs_) {
            if (pair.one_launch()) {
                for (auto* sample : {&pair.first, &pair.second}) {
                    sample->variance_between = scatter * scatter / 2;
                    // Both halves are known as one.
                    sample->freedom_between = freedom / 2;
                }
            }
        }
    }

    Comparison& comparison_;
    std::vector<Pair>& pairs_;
};

/// Where the disturbed repetitions of a run are put in a rank test: nowhere, or at the end that speaks
/// against a change.
enum class SetAside { nowhere, below, above };

/// All times of all launches, sorted, and their effective sample size.
std::pair<std::vector<double>, double> pooled(const stats::RunSample& sample, SetAside set_aside) {
    std::vector<double> all;
    double size = 0;
    for (const auto& launch : sample.launches) {
        const auto& times = launch.sorted();
        all.insert(all.end(), times.begin(), times.end());
        size += launch.effective_sample().size;
        if (set_aside != SetAside::nowhere && launch.set_aside() > 0) {
            all.insert(all.end(), launch.set_aside(), set_aside == SetAside::below ? 0 : HUGE_VAL);
            size += launch.effective_sample().size * static_cast<double>(launch.set_aside()) /
                    static_cast<double>(times.size());
        }
    }
    std::sort(all.begin(), all.end());
    return {std::move(all), size};
}

/// Of launches of which anything is known; what the others may hide is in the range of the ratio.
std::vector<double> medians_of(const stats::RunSample& sample, SetAside set_aside) {
    std::vector<double> medians;
    for (const auto& launch : sample.launches) {
        const auto range = launch.median_range();
        if (!stats::is_open(range)) {
            medians.push_back(set_aside == SetAside::below ? range.low : range.high);
        }
    }
    return medians;
}

stats::RankTest mann_whitney_of(const Pair& pair, SetAside in_first, SetAside in_second) {
    const auto of_first = pooled(pair.first, in_first);
    const auto of_second = pooled(pair.second, in_second);
    return stats::mann_whitney(of_first.first, of_second.first, of_first.second, of_second.second);
}

/// Of the launches' medians if there are enough of them to stay below this level, else of the repetitions.
stats::RankTest mann_whitney_of(const Pair& pair, double level) {
    auto test = mann_whitney_of(pair, SetAside::nowhere, SetAside::nowhere);
    const bool slower = pair.point.ratio > 1;
    const auto in_first = slower ? SetAside::above : SetAside::below;
    const auto in_second = slower ? SetAside::below : SetAside::above;
    const auto of_first = medians_of(pair.first, in_first);
    const auto of_second = medians_of(pair.second, in_second);
    if (!of_first.empty() && !of_second.empty() &&
        stats::smallest_mann_whitney_p(of_first.size(), of_second.size()) <= level) {
        test.p_value = stats::exact_mann_whitney(of_first, of_second).p_value;
    } else if (pair.point.first_disturbed_reps + pair.point.second_disturbed_reps > 0) {
        const auto against = mann_whitney_of(pair, in_first, in_second);
        test.p_value = slower == (against.superiority > 0.5) ? against.p_value : 1;
    }
    return test;
}

/// The p value that a ratio is 1 if launches affect this point more than the median point.
double doubtful_p(Pair pair, std::uint64_t seed) {
    for (auto* sample : {&pair.first, &pair.second}) {
        sample->variance_between *= doubt * doubt;
    }
    return stats::ratio_of_medians(pair.first, pair.second, seed).p_value;
}

void test(Pair& pair, double level, const LaunchScatter& scatter) {
    auto& point = pair.point;
    if (!pair.timed()) {
        const bool equal = point.first_median_ns == point.second_median_ns;
        point.ratio_p = point.rank_p = 1;
        point.ratio_known = equal;
        point.ratio_range = point.ratio_ci95 = {.low = 1, .high = 1};
        return;
    }
    constexpr std::uint64_t seed = 0x66617468;
    const auto ratio = stats::ratio_of_medians(pair.first, pair.second, seed);
    point.ratio = ratio.value;
    point.ratio_range = ratio.range;
    point.ratio_ci95 = ratio.ci95;
    const bool told_by_others = pair.one_launch() && scatter.source == ScatterSource::table;
    point.ratio_p = told_by_others ? std::max(ratio.p_value, doubtful_p(pair, seed)) : ratio.p_value;
    const auto ranks = mann_whitney_of(pair, level);
    point.rank_p = ranks.p_value;
    point.superiority = ranks.superiority;
}

/// Whether the disturbed repetitions widen the interval more than everything else.
bool mostly_disturbed(const ComparedPoint& point) {
    if (stats::is_open(point.ratio_range)) {
        return true;
    }
    const double range = std::log(point.ratio_range.high / point.ratio_range.low);
    return range > std::log(point.ratio_ci95.high / point.ratio_ci95.low) / 2;
}

/// Why an interval is as wide as it is.
Doubt doubt_of(const Pair& pair) {
    constexpr std::size_t few = 20;
    const auto& point = pair.point;
    if (mostly_disturbed(point)) {
        return Doubt::disturbed;
    }
    if (std::min(point.first_reps, point.second_reps) < few) {
        return Doubt::few_repetitions;
    }
    const auto share = [](const stats::RunSample& run) {
        return run.variance_between / static_cast<double>(run.launches.size());
    };
    const auto within = [](const stats::RunSample& run) {
        return variance_within(run) / static_cast<double>(run.launches.size());
    };
    const bool between = share(pair.first) + share(pair.second) > within(pair.first) + within(pair.second);
    if (pair.one_launch() && (point.ratio_ci95.low > 1 || point.ratio_ci95.high < 1)) {
        return Doubt::one_launch;
    }
    return !between            ? Doubt::wide_repetitions
           : pair.one_launch() ? Doubt::wide_one_launch
                               : Doubt::wide_launches;
}

void judge(Pair& pair, const Comparison& comparison) {
    const auto& limits = comparison.limits;
    auto& point = pair.point;
    if (!pair.timed()) {
        const bool equal = point.first_median_ns == point.second_median_ns;
        point.verdict = equal ? Change::same : Change::undecided;
        point.doubt = equal ? std::nullopt : std::optional(Doubt::no_time);
        return;
    }
    // Fewer have no reliable interval.
    constexpr std::size_t fewest = 6;
    if (comparison.scatter.source != ScatterSource::none &&
        std::min(point.first_reps, point.second_reps) < fewest) {
        point.doubt = mostly_disturbed(point) ? Doubt::disturbed : Doubt::few_repetitions;
        return;
    }
    const double most = 1 + limits.limit;
    const double negligible = std::min(limits.negligible, limits.limit);
    if (point.p_value < level_of(limits) && std::abs(std::log(point.ratio)) > std::log1p(negligible)) {
        if (point.ratio > most && point.ratio_range.low <= most) {
            // Slower, but whether by more than the limit is hidden by the disturbed repetitions.
            point.doubt = Doubt::disturbed;
            return;
        }
        point.verdict = point.ratio > 1 ? Change::slower : Change::faster;
        point.beyond_limit = point.ratio_ci95.low > most;
        if (point.ratio > most && !point.beyond_limit) {
            point.doubt = Doubt::near_limit;
        }
    } else if (!stats::is_open(point.ratio_range) && point.ratio_ci95.low >= 1 / most &&
               point.ratio_ci95.high <= most) {
        point.verdict = Change::same;
    } else {
        point.doubt = doubt_of(pair);
    }
}

}  // namespace

std::size_t Comparison::count(Change verdict) const {
    return static_cast<std::size_t>(std::count_if(
        points.begin(), points.end(), [&](const auto& point) { return point.verdict == verdict; }));
}

std::size_t Comparison::beyond_limit() const {
    return static_cast<std::size_t>(
        std::count_if(points.begin(), points.end(), [](const auto& point) { return point.beyond_limit; }));
}

std::size_t Comparison::open() const {
    return static_cast<std::size_t>(std::count_if(points.begin(), points.end(),
                                                  [](const auto& point) { return point.doubt.has_value(); }));
}

std::size_t Comparison::disturbed() const {
    return static_cast<std::size_t>(std::count_if(points.begin(), points.end(), [](const auto& point) {
        return point.first_disturbed || point.second_disturbed;
    }));
}

std::size_t Comparison::newly_failed() const {
    return static_cast<std::size_t>(std::count_if(unmatched.begin(), unmatched.end(),
                                                  [](const auto& point) { return point.newly_failed; }));
}

Gate Comparison::gate() const {
    return beyond_limit() + newly_failed() > 0 ? Gate::fails : open() > 0 ? Gate::undecided : Gate::holds;
}

Comparison compare(MeasuredRun first, MeasuredRun second, const ComparisonLimits& limits,
                   const std::string& operation) {
    Comparison comparison;
    comparison.first = std::move(first);
    comparison.second = std::move(second);
    comparison.limits = limits;
    comparison.differences = differences(comparison.first, comparison.second);
    auto pairs = Matching(comparison, operation)();
    if (pairs.empty()) {
        throw BadInput(fmt::format("{} and {} have no point in common{}; 'fathom show' lists those of each.",
                                   comparison.first.name, comparison.second.name,
                                   operation.empty() ? "" : " of " + operation));
    }
    Scatter(comparison, pairs).put();
    std::vector<double> p_values;
    for (auto& pair : pairs) {
        test(pair, level_of(limits) / static_cast<double>(pairs.size()), comparison.scatter);
        p_values.push_back(std::max(pair.point.ratio_p, pair.point.rank_p));
    }
    const auto corrected = stats::holm(p_values);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        pairs[i].point.p_value = corrected[i];
        judge(pairs[i], comparison);
        comparison.points.push_back(pairs[i].point);
    }
    return comparison;
}

}  // namespace fathom::analysis
