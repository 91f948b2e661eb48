#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/across_runs/measured_run.hpp"
#include "analysis/across_runs/run_differences.hpp"
#include "analysis/run/between_runs.hpp"
#include "stats/summary.hpp"

namespace fathom::analysis {

/// The limits of a comparison, as fractions, not percent.
struct ComparisonLimits {
    double limit = 0.05;  ///< a point that is slower by more fails; within it, it is the same
    double negligible =
        0.01;       ///< changes below this (or the limit) are neither slower nor faster, even if significant
    int looks = 1;  ///< how often verdicts may be taken while more is measured; each gets its share of errors
};

/// What a comparison comes to as a gate.
enum class Gate { holds, fails, undecided };

/// How a point changed from the first run to the second.
enum class Change { faster, slower, same, undecided };
constexpr std::array<std::string_view, 4> enum_names(Change /*unused*/) {
    return {"faster", "slower", "same", "undecided"};
}

/// Why a point is undecided, or whether it is slower by more than the limit.
enum class Doubt {
    no_time,           ///< it takes no time in one of the runs
    few_repetitions,   ///< too few for an interval
    disturbed,         ///< repetitions around preemptions may have moved the ratio as far
    one_launch,        ///< a change that one launch per run may have made
    wide_one_launch,   ///< an interval wider than the limit: one launch per run
    wide_launches,     ///< the same: launches differ
    wide_runs,         ///< the same: runs at different times differ
    wide_repetitions,  ///< the same: repetitions differ
    near_limit         ///< slower by more than the limit as measured, but the interval includes the limit
};
constexpr std::array<std::string_view, 9> enum_names(Doubt /*unused*/) {
    return {"no-time",       "few-repetitions", "disturbed",        "one-launch", "wide-one-launch",
            "wide-launches", "wide-runs",       "wide-repetitions", "near-limit"};
}

/// How the variance between launches was found: not needed (simulated), from several launches, from how
/// all points scatter, or an assumption.
enum class ScatterSource { none, launches, table, assumed };
constexpr std::array<std::string_view, 4> enum_names(ScatterSource /*unused*/) {
    return {"none", "starts", "table", "assumed"};
}

/// One point of both runs.
struct ComparedPoint {
    PointKey key;  ///< of the first run
    int second_procs = 0;
    double first_median_ns = 0;  ///< as each run shows it
    double second_median_ns = 0;
    Quality first_quality = Quality::good;
    Quality second_quality = Quality::good;
    std::size_t first_reps = 0;
    std::size_t second_reps = 0;
    std::size_t first_launches = 0;
    std::size_t second_launches = 0;
    LaunchCounts first_launch_counts;  ///< those among all that were made
    LaunchCounts second_launch_counts;
    std::int64_t first_set_aside = 0;  ///< repetitions, those of launches that are left out among them
    std::int64_t second_set_aside = 0;
    bool first_disturbed = false;  ///< ranks were preempted while it was measured
    bool second_disturbed = false;
    std::size_t first_disturbed_reps = 0;  ///< around which ranks were preempted: set aside
    std::size_t second_disturbed_reps = 0;
    double first_disturbed_share = 0;  ///< those by all repetitions
    double second_disturbed_share = 0;
    bool ratio_known = true;  ///< not where one of two takes no time
    double ratio = 1;         ///< second by first
    double tested_ratio = 1;  ///< the same of times that are spread over the steps of a coarse clock
    /// Of the ratio, whatever those disturbed repetitions would have taken that one run has beyond the share
    /// of the other; both ends are the ratio if there are none, and open if they are half of a run.
    stats::Interval ratio_range = {.low = 1, .high = 1};
    stats::Interval ratio_ci95;  ///< wider by that range unless it is open
    double ratio_p = 1;          ///< that the ratio is 1, this point alone
    double rank_p = 1;           ///< the same by the rank test
    double superiority = 0.5;  ///< chance that a repetition of the second takes longer than one of the first
    double p_value = 1;        ///< the larger of both, corrected for all points of the table
    Change verdict = Change::undecided;
    std::optional<Doubt> doubt;  ///< why something is left to decide
    bool beyond_limit = false;   ///< slower by more than the limit: the whole interval is
};

/// A point that only one run has, or that has no result in one.
struct UnmatchedPoint {
    PointKey key;
    bool lacking_in_first = false;      ///< or in the second
    std::optional<PointStatus> status;  ///< of the point there; absent: it is not there; ok: without a time
    std::string reason;                 ///< of the point there, as stored
    std::optional<NoTimes> no_times = {};  ///< or as found
    bool newly_failed = false;             ///< measured in the first run, failed in the second
};

/// How the variance between launches was found, and how large it is (as a fraction of the time).
struct LaunchScatter {
    double share = 0;  ///< of one run
    ScatterSource source = ScatterSource::none;
};

/// By how much two runs differ for being measured at different times.
struct TermBetweenRuns {
    BetweenRuns first = {};
    BetweenRuns second = {};  ///< the same as that of the first if the runs are alike
    bool shared = false;      ///< it is: both are one estimate, not two independent ones
    bool in_turn = false;     ///< their launches took turns: then nothing is between them

    /// What is known of a point of either run. Of what they share, half of the freedom is for each.
    [[nodiscard]] stats::KnownVariance of_first(const PointKey& key) const;
    [[nodiscard]] stats::KnownVariance of_second(const PointKey& key) const;
};

struct Comparison {
    MeasuredRun first;
    MeasuredRun second;
    ComparisonLimits limits;
    std::vector<Difference> differences;
    bool across_procs = false;  ///< points are matched although their process counts differ
    LaunchScatter scatter;
    TermBetweenRuns between_runs;  ///< a part of intervals and verdicts
    std::vector<ComparedPoint> points;
    std::vector<UnmatchedPoint> unmatched;

    [[nodiscard]] std::size_t count(Change verdict) const;
    [[nodiscard]] std::size_t beyond_limit() const;
    [[nodiscard]] std::size_t open() const;       ///< of which more measurements would decide something
    [[nodiscard]] std::size_t disturbed() const;  ///< in either run
    /// Points that the first run has and that failed in the second.
    [[nodiscard]] std::size_t newly_failed() const;
    /// Fails if anything got worse than the limit allows, and holds if every point was decided otherwise.
    [[nodiscard]] Gate gate() const;
};

/// By how much the runs of a comparison differ for being measured at different times: not at all if their
/// launches took turns. Of runs that are alike, what is learned from more stored runs holds for both.
TermBetweenRuns term_between(const Comparison& comparison);

/// Compares the second run with the first. Both need their times. An empty `operation` means all. Throws
/// BadInput if no point is in both.
Comparison compare(MeasuredRun first, MeasuredRun second, const ComparisonLimits& limits,
                   const std::string& operation = "");

}  // namespace fathom::analysis
