#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/overlap/overlap.hpp"
#include "analysis/point/analyses.hpp"
#include "analysis/point/point_warning.hpp"
#include "analysis/samples/global_time.hpp"
#include "analysis/samples/measures.hpp"
#include "analysis/samples/repetitions.hpp"
#include "analysis/samples/view.hpp"
#include "stats/reduction.hpp"
#include "stats/summary.hpp"
#include "store/store.hpp"

namespace fathom::analysis {

using plan::PointKey;
using store::PointStatus;

/// One rank's part in a point.
struct RankResult {
    int rank = 0;
    stats::Summary time_ns;
    stats::Reduced value_ns;
};

/// Times of several launches: how much of their variance is between launches, and how much within.
struct Launches {
    std::vector<double> values_ns;    ///< of each start
    double variance_between_ns2 = 0;  ///< of the launches' true means, as far as it exceeds noise
    double variance_within_ns2 = 0;   ///< of repetitions around the mean of their launch
    stats::Interval median_ci95;      ///< over these launches alone
    std::optional<LaunchLevels> levels;
};

/// What became of the launches of a point.
struct LaunchCounts {
    std::size_t used = 1;
    std::size_t set_aside = 0;  ///< disturbed, with too few repetitions that were not
    std::size_t failed = 0;     ///< without a result

    [[nodiscard]] std::size_t all() const { return used + set_aside + failed; }
};

/// Whether a point's value can be relied on. Imprecise: its interval is missing or wide; disturbed: too few
/// repetitions are without preemption, or, where none is set aside, half of them or fewer.
enum class Quality { good, imprecise, disturbed };
constexpr std::array<std::string_view, 3> enum_names(Quality /*unused*/) {
    return {"good", "imprecise", "disturbed"};
}

/// The result of a stored point: the one model that all writers print.
struct PointResult {
    int position = 0;
    PointKey key;
    std::string purpose;                            ///< why it is there if it was not planned
    PointStatus status = PointStatus::unavailable;  ///< ok, failed, unavailable
    std::string reason;                             ///< as stored
    std::optional<NoTimes> no_times;                ///< the reason where none is stored
    std::string datatype;
    std::optional<plan::SizeAs> size_as;  ///< where processes have blocks
    std::string start;                    ///< how repetitions started together
    std::optional<plan::Cache> cache;     ///< where message data were
    std::vector<std::string> pairs;       ///< who communicated with whom, `0-2`, the sender first
    std::int64_t calls = 1;               ///< in a row within one repetition
    std::int64_t warmup_calls = 0;
    std::int64_t reps = 0;                      ///< valid ones: what the times are made of
    std::int64_t invalid_reps = 0;              ///< kept, but not used
    std::int64_t set_aside = 0;                 ///< valid ones, kept but not used: a rank was preempted
    std::int64_t touched = 0;                   ///< of those that count: a rank was preempted meanwhile
    bool sound = true;                          ///< false: it was disturbed, and too few repetitions were not
    std::optional<plan::OverRanks> over_ranks;  ///< how the ranks of a repetition are reduced
    std::string over_reps;                      ///< how repetitions are reduced
    std::optional<plan::RoundTrip> round_trip;  ///< what counts of a message there and back
    std::optional<stats::Summary>
        time_ns;  ///< of the repetitions that count; `max` is that of all valid ones
    std::optional<stats::Reduced> value_ns;  ///< the reported number, by default the median
    double step_ns = 0;  ///< from times that equal the median to the next other one; 0 if none equal it
    std::int64_t empty_ns = 0;               ///< what was subtracted from each duration, largest over ranks
    std::vector<RankResult> by_rank;         ///< where each rank counts for itself
    LaunchCounts launch_counts;              ///< of which its value is made, and which are left out
    std::optional<Launches> launches;        ///< where several are used
    std::vector<Measure> measures;           ///< besides the time
    std::optional<OverlapResult> overlap;    ///< of a study of overlap
    std::optional<store::TraceRow> trace;    ///< where time stamps were recorded inside its calls
    std::optional<double> rate_bytes_per_s;  ///< from the value, where a rate makes sense
    std::optional<double> start_skew_median_ns;  ///< first to last start on the global clock
    std::optional<double> clock_bound_ns;        ///< largest error of a rank's global clock meanwhile
    Quality quality = Quality::good;
    std::vector<PointWarning> warnings;
    PointAnalyses analyses;  ///< where they were requested

    /// Whether its ranks were preempted.
    [[nodiscard]] bool disturbed() const;
    /// Whether findings may be made of it: it has a result that can be relied on.
    [[nodiscard]] bool trusted() const { return status == PointStatus::ok && quality == Quality::good; }
};

/// The repetitions of one launch that count.
struct LaunchTimes {
    std::vector<double> times;  ///< in order
    /// Repetitions whose undisturbed times are not known: those that preemption touched, and all of a launch
    /// that is not sound.
    std::size_t disturbed = 0;
    bool among =
        false;  ///< whether the disturbed repetitions are among the times, since nothing is set aside
    /// False if too few repetitions were left by preemption: then the times are those of all.
    bool sound = true;
    std::vector<std::int64_t> left_out = {};  ///< of a matrix: which repetitions were set aside, in order
};

/// One launch of a point with the repetitions that its result is made of.
struct LaunchResult {
    PointResult result;
    LaunchTimes counted = {};
};

/// A point with what was measured of it, while that is at hand.
struct PointSamples {
    const PointResult& point;
    const Repetitions& repetitions;  ///< of all launches, each rank's own times among them
    const Evidence& evidence;
    std::vector<Stretch> disturbed = {};    ///< when ranks were preempted, in all launches
    std::vector<LaunchTimes> counted = {};  ///< what its value is made of, launch by launch
};

/// A repetition counts as the slowest rank's time (collectives) or the first rank's halved round trip
/// (pairs), and all of them as their median, unless the view says otherwise.
PointResult evaluate(const store::Store& store, const store::PointRow& point, const View& view = {});
/// The same without the global clock: fast, for use while a run is in progress.
PointResult evaluate_times(const store::Store& store, const store::PointRow& point);
/// The same of repetitions that have been read, on their clock. This alone decides which of them count: all,
/// or of a disturbed launch those that preemption did not touch, where enough are left.
LaunchResult evaluate(const store::Store& store, const store::PointRow& point, const GlobalTime& clock,
                      const WholeView& view, const Repetitions& repetitions);

/// Puts how much was recorded inside its calls into a result, with a warning if events were dropped.
void put_trace(PointResult& result, const std::optional<store::TraceRow>& trace);

/// Puts the messages per second that the value of a stream stands for, of all pairs together.
void put_message_rate(PointResult& result);

/// What is known of a point without its times.
PointResult described(const store::PointRow& point);

/// Visits the points of a run one by one. One that is damaged, or that `visit` finds to be, is left out from
/// there on and noted in the store.
void visit_points(const store::Store& store, std::int64_t run,
                  const std::function<void(const store::PointRow& point)>& visit);

/// The global clock under which a point was measured.
GlobalTime global_time_of(const store::Store& store, const store::PointRow& point);

}  // namespace fathom::analysis
