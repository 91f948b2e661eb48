#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/analyses.hpp"
#include "analysis/clock_study.hpp"
#include "analysis/findings.hpp"
#include "analysis/global_time.hpp"
#include "analysis/insights.hpp"
#include "analysis/loggp.hpp"
#include "analysis/matrix.hpp"
#include "analysis/measures.hpp"
#include "analysis/overlap.hpp"
#include "analysis/repetitions.hpp"
#include "analysis/scaling.hpp"
#include "analysis/verdict.hpp"
#include "analysis/view.hpp"
#include "stats/reduction.hpp"
#include "stats/summary.hpp"
#include "stats/switches.hpp"
#include "store/store.hpp"

namespace fathom::analysis {

/// One rank's part in a point.
struct RankResult {
    int rank = 0;
    stats::Summary time_ns;
    stats::Reduced value_ns;
};

/// Times of several starts of the job: how much of their variance lies between starts, how much within.
struct Trials {
    std::vector<double> values_ns;    ///< of each start
    double variance_between_ns2 = 0;  ///< of the starts' true means, as far as it can be told from noise
    double variance_within_ns2 = 0;   ///< of repetitions around the mean of their start
};

/// What a stored point comes to; the one model that all writers print.
struct PointResult {
    int position = 0;
    std::string operation;
    std::string pattern;
    int procs = 0;
    Bytes size;
    std::string scheme;    ///< where schemes are compared: by which
    std::string purpose;   ///< why it is there if it was not planned
    std::string progress;  ///< who made communication go on: `thread`, or empty
    std::string status;    ///< ok, failed, unavailable
    std::string reason;
    std::string datatype;
    std::string size_as;             ///< whose bytes the size is, where processes have blocks: each, total
    std::string start;               ///< how repetitions started together
    std::string cache;               ///< where message data were
    std::vector<std::string> pairs;  ///< who communicated with whom, `0-2`, the sender first
    std::int64_t calls = 1;          ///< in a row within one repetition
    std::int64_t warmup_calls = 0;
    std::int64_t reps = 0;          ///< valid ones: what the times are made of
    std::int64_t invalid_reps = 0;  ///< kept, but not used
    std::string over_ranks;         ///< what a repetition counts as
    std::string over_reps;          ///< what the repetitions come to
    std::optional<stats::Summary> time_ns;
    std::optional<stats::Reduced> value_ns;  ///< the number asked for: by default the median
    std::int64_t empty_ns = 0;               ///< what was subtracted from each duration, largest over ranks
    std::vector<RankResult> by_rank;         ///< where each rank counts for itself
    std::optional<Trials> trials;            ///< of several starts
    std::vector<Measure> measures;           ///< besides the time
    std::optional<OverlapResult> overlap;    ///< of a study of overlap
    std::optional<double> rate_bytes_per_s;  ///< from the value, where a rate makes sense
    std::optional<double> start_skew_median_ns;  ///< first to last start on the global clock
    std::optional<double> clock_bound_ns;        ///< largest error of a rank's global clock meanwhile
    std::vector<std::string> warnings;
    PointAnalyses analyses;  ///< those that were asked for
};

/// A protocol or algorithm switch in the curve of an operation.
struct FoundSwitch {
    std::string operation;
    int procs = 0;
    int element = 1;  ///< bytes: the switch is exact if its two sizes differ by one
    stats::Switch found;
};

/// Two neighbouring sizes between which a study of overlap shows another protocol.
struct ProtocolBoundary {
    std::string operation;
    int procs = 0;
    std::string progress;
    Bytes below;
    Bytes above;
    double time_before_ns = 0;  ///< base of a message, t_b of a collective
    double time_after_ns = 0;
    double overhead_before_ns = 0;
    double overhead_after_ns = 0;
    double availability_before = 0;
    double availability_after = 0;
    std::string text;  ///< the whole as a sentence, without its full stop
};

/// The global clock of a run's last job.
struct ClockSummary {
    std::string scheme;
    int synchronisations = 0;
    bool shared = false;        ///< all processes demonstrably read one clock
    std::int64_t bound_ns = 0;  ///< largest over ranks and synchronisations
    bool steady = true;         ///< an even drift explains all offsets
    double drift_ppm = 0;       ///< largest of a rank against rank 0, by size
};

/// A run with all its points; no point is ever missing.
struct RunResult {
    store::RunRow run;
    std::vector<PointResult> points;
    std::vector<store::WarningRow> warnings;
    std::optional<ClockSummary> clock;     ///< absent in simulation, with one process and in old runs
    std::vector<CheckMoment> clock_check;  ///< empty if none was asked for
    bool schemes_compared = false;
    bool switches_sought = false;
    std::vector<FoundSwitch> switches;
    std::vector<MatrixResult> matrices;        ///< by processes and size
    Findings findings;                         ///< in the matrices
    std::vector<ProtocolBoundary> boundaries;  ///< in studies of overlap
    std::vector<LogGp> loggp;                  ///< where messages were studied
    std::optional<Verdict> verdict;            ///< where one was asked for
    Scaling scaling;                           ///< against size and processes
    std::vector<Insight> insights;             ///< what matters most, the most first
};

/// What a reader of a whole run may want besides its results.
struct Wanted {
    Asked asked;  ///< analyses of every point
    /// Called with each point and its repetitions in all starts, each rank's own times among them, while they
    /// are at hand. May be empty.
    std::function<void(const PointResult& point, const Repetitions& repetitions)> visit = {};

    [[nodiscard]] bool samples() const { return asked.any() || visit; }
};

/// A repetition counts as the slowest rank's time (collectives) or the first rank's halved round trip
/// (pairs), and all of them as their median, unless the view says otherwise.
PointResult evaluate(const store::Store& store, const store::PointRow& point, const View& view = {});
/// The same without what the global clock says: quick, while a run goes on.
PointResult evaluate_times(const store::Store& store, const store::PointRow& point);
/// All points of a run, those of several starts as one each. Where the view says nothing, the plan does.
RunResult evaluate(const store::Store& store, const store::RunRow& run, const View& view = {},
                   const Wanted& wanted = {});

/// The global clock under which a point was measured.
GlobalTime global_time_of(const store::Store& store, const store::PointRow& point);

}  // namespace fathom::analysis
