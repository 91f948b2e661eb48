#include "analysis/across_runs/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "analysis/across_runs/compared_launches.hpp"
#include "analysis/point/launches.hpp"
#include "base/error.hpp"
#include "plan/operations.hpp"
#include "stats/between_runs/between_runs.hpp"
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
    const PointResult* first_result = nullptr;
    const PointResult* second_result = nullptr;
    bool from_table = false;  ///< all points of the table show how its launches differ
    stats::RunSample first;
    stats::RunSample second;
    /// What differs between runs. The scatter of a table does not show it, since points have it in common.
    stats::KnownVariance between_first;
    stats::KnownVariance between_second;

    [[nodiscard]] bool one_launch() const {
        return first.launches.size() == 1 && second.launches.size() == 1;
    }
    /// Simulated calls may take no time, and so may calls shorter than a step of the clock.
    [[nodiscard]] bool timed() const {
        const auto takes_time = [](const auto& launch) { return launch.median() > 0; };
        return point.first_median_ns > 0 && point.second_median_ns > 0 &&
               std::all_of(first.launches.begin(), first.launches.end(), takes_time) &&
               std::all_of(second.launches.begin(), second.launches.end(), takes_time);
    }
};

/// The mean of the launches' relative variances.
double variance_within(const stats::RunSample& sample) {
    double sum = 0;
    for (const auto& launch : sample.launches) {
        sum += launch.relative_error() * launch.relative_error();
    }
    return sum / static_cast<double>(sample.launches.size());
}

const PointResult* find_point(const MeasuredRun& run, const PointKey& key) {
    const auto found = std::ranges::find(run.result.points, key, &PointResult::key);
    return found == run.result.points.end() ? nullptr : &*found;
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
            pairs.push_back(pair_of(point, *other));
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

    [[nodiscard]] Pair pair_of(const PointResult& first, const PointResult& second) const {
        Pair pair;
        pair.first_result = &first;
        pair.second_result = &second;
        const auto& one = comparison_.first;
        const auto& other = comparison_.second;
        auto launches = compared_launches(one.times.at(first.key), one.result.run.simulated,
                                          other.times.at(second.key), other.result.run.simulated);
        pair.first = std::move(launches.first);
        pair.second = std::move(launches.second);
        pair.first.unknown = launches_dropped_beyond(first.launch_counts, second.launch_counts);
        pair.second.unknown = launches_dropped_beyond(second.launch_counts, first.launch_counts);
        pair.point.key = first.key;
        pair.point.second_procs = second.key.procs;
        pair.point.first_median_ns = first.time_ns->median;
        pair.point.second_median_ns = second.time_ns->median;
        pair.point.first_quality = first.quality;
        pair.point.second_quality = second.quality;
        pair.point.first_disturbed = first.disturbed();
        pair.point.second_disturbed = second.disturbed();
        pair.point.first_reps = static_cast<std::size_t>(first.reps);
        pair.point.second_reps = static_cast<std::size_t>(second.reps);
        pair.point.first_disturbed_reps = count_disturbed(one.times.at(first.key));
        pair.point.second_disturbed_reps = count_disturbed(other.times.at(second.key));
        pair.point.first_disturbed_share = share_disturbed(one.times.at(first.key));
        pair.point.second_disturbed_share = share_disturbed(other.times.at(second.key));
        pair.point.first_launches = pair.first.launches.size();
        pair.point.second_launches = pair.second.launches.size();
        pair.point.first_launch_counts = first.launch_counts;
        pair.point.second_launch_counts = second.launch_counts;
        pair.point.first_set_aside = first.set_aside;
        pair.point.second_set_aside = second.set_aside;
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
        if (comparison_.first.result.run.simulated && comparison_.second.result.run.simulated) {
            comparison_.scatter = {.share = 0, .source = ScatterSource::none};
            return;
        }
        put_from_launches();
        if (std::ranges::any_of(pairs_, &Pair::one_launch)) {
            put_from_table();
        }
    }

  private:
    void put_from_launches() {
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
        std::vector<const PointResult*> points;
        for (const auto& pair : pairs_) {
            points.insert(points.end(), {pair.first_result, pair.second_result});
        }
        comparison_.scatter = {.share = scatter_of_launches(points).value_or(std::sqrt(of_all)),
                               .source = ScatterSource::launches};
        for (auto& pair : pairs_) {
            for (auto* sample : {&pair.first, &pair.second}) {
                if (!pair.one_launch() && pair.timed()) {
                    put_from_launches(*sample, of_all, freedom);
                }
            }
        }
    }

    /// A few launches estimate their variance poorly, so the estimate from all points is included.
    static void put_from_launches(stats::RunSample& sample, double of_all, double freedom_of_all) {
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
                deviations.push_back({.value = std::log(pair.second.median() / pair.first.median()),
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
        if (comparison_.scatter.source != ScatterSource::launches) {
            comparison_.scatter = {.share = scatter / std::numbers::sqrt2,
                                   .source = from_table ? ScatterSource::table : ScatterSource::assumed};
        }
        for (auto& pair : pairs_) {
            if (pair.one_launch()) {
                pair.from_table = from_table;
                for (auto* sample : {&pair.first, &pair.second}) {
                    sample->variance_between = scatter * scatter / 2;
                    sample->freedom_between = freedom / 2;  // both halves are known as one
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
        const auto times = set_aside == SetAside::nowhere
                               ? launch.sorted()
                               : launch.sorted_with_set_aside(set_aside == SetAside::below);
        all.insert(all.end(), times.begin(), times.end());
        size += launch.effective_sample().size * static_cast<double>(times.size()) /
                static_cast<double>(launch.sorted().size());
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

bool any_set_aside(const Pair& pair) {
    const auto some = [](const auto& launch) { return launch.set_aside() > 0; };
    return std::ranges::any_of(pair.first.launches, some) || std::ranges::any_of(pair.second.launches, some);
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
    } else if (any_set_aside(pair)) {
        const auto against = mann_whitney_of(pair, in_first, in_second);
        test.p_value = slower == (against.superiority > 0.5) ? against.p_value : 1;
    }
    return test;
}

/// The ratio that a pair's medians would have at any other time.
stats::Ratio ratio_of(const Pair& pair, std::uint64_t seed) {
    auto ratio = stats::ratio_of_medians(pair.first, pair.second, seed);
    stats::include_other_runs(ratio, pair.between_first, pair.between_second);
    return ratio;
}

/// The p value that a ratio is 1 if launches affect this point more than the median point.
double doubtful_p(Pair pair, std::uint64_t seed) {
    for (auto* sample : {&pair.first, &pair.second}) {
        sample->variance_between *= doubt * doubt;
    }
    return ratio_of(pair, seed).p_value;
}

void test(Pair& pair, double level) {
    auto& point = pair.point;
    if (!pair.timed()) {
        point.ratio_known = point.first_median_ns == point.second_median_ns;
        point.ratio_range = point.ratio_ci95 = {.low = 1, .high = 1};
        return;
    }
    constexpr std::uint64_t seed = 0x66617468;
    const auto ratio = ratio_of(pair, seed);
    // Of the medians as they are shown: where a clock's steps make heaps of equal times, those of the test
    // lie within the step.
    point.ratio = point.second_median_ns / point.first_median_ns;
    point.tested_ratio = ratio.value;
    const double beside = point.ratio / ratio.value;
    point.ratio_range = {.low = ratio.range.low * beside, .high = ratio.range.high * beside};
    point.ratio_ci95 = {.low = std::min(ratio.ci95.low, point.ratio),
                        .high = std::max(ratio.ci95.high, point.ratio)};
    point.ratio_p = pair.from_table ? std::max(ratio.p_value, doubtful_p(pair, seed)) : ratio.p_value;
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
    if (pair.between_first.value + pair.between_second.value >
        share(pair.first) + share(pair.second) + within(pair.first) + within(pair.second)) {
        return Doubt::wide_runs;
    }
    const bool between = share(pair.first) + share(pair.second) > within(pair.first) + within(pair.second);
    if (pair.one_launch() && (point.ratio_ci95.low > 1 || point.ratio_ci95.high < 1)) {
        return Doubt::one_launch;
    }
    return !between            ? Doubt::wide_repetitions
           : pair.one_launch() ? Doubt::wide_one_launch
                               : Doubt::wide_launches;
}

void put_between_runs(Comparison& comparison, std::vector<Pair>& pairs) {
    comparison.between_runs = term_between(comparison);
    for (auto& pair : pairs) {
        pair.between_first = comparison.between_runs.of_first(pair.first_result->key);
        pair.between_second = comparison.between_runs.of_second(pair.second_result->key);
    }
}

/// By more than this share, as it is shown and as it is tested: a step of the clock is no change by itself.
bool changed(const ComparedPoint& point, double negligible) {
    const double shown = std::log(point.ratio);
    const double tested = std::log(point.tested_ratio);
    return shown * tested > 0 && std::min(std::abs(shown), std::abs(tested)) > std::log1p(negligible);
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
    constexpr std::size_t fewest = 6;  // for a reliable interval
    if (comparison.scatter.source != ScatterSource::none &&
        std::min(point.first_reps, point.second_reps) < fewest) {
        point.doubt = mostly_disturbed(point) ? Doubt::disturbed : Doubt::few_repetitions;
        return;
    }
    const double most = 1 + limits.limit;
    const double negligible = std::min(limits.negligible, limits.limit);
    if (point.p_value < level_of(limits) && changed(point, negligible)) {
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
    put_between_runs(comparison, pairs);
    std::vector<double> p_values;
    for (auto& pair : pairs) {
        test(pair, level_of(limits) / static_cast<double>(pairs.size()));
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
