#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/clock_study.hpp"
#include "analysis/global_time.hpp"
#include "stats/summary.hpp"
#include "store/store.hpp"

namespace fathom::analysis {

/// What a stored point comes to; the one model that all writers print.
struct PointResult {
    int position = 0;
    std::string operation;
    std::string pattern;
    int procs = 0;
    Bytes size;
    std::string status;  ///< ok, failed, unavailable
    std::string reason;
    std::string datatype;
    std::string start;  ///< how repetitions started together
    std::int64_t warmup_calls = 0;
    std::int64_t reps = 0;          ///< valid ones: what the times are made of
    std::int64_t invalid_reps = 0;  ///< kept, but not used
    std::optional<stats::Summary> time_ns;
    std::optional<double> rate_bytes_per_s;      ///< from the median, where a rate makes sense
    std::optional<double> start_skew_median_ns;  ///< first to last start on the global clock
    std::optional<double> clock_bound_ns;        ///< largest error of a rank's global clock meanwhile
    std::vector<std::string> warnings;
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
};

/// One repetition counts as the slowest rank's time (collectives) or the first rank's halved round trip
/// (pairs).
PointResult evaluate(const store::Store& store, const store::PointRow& point);
/// The same without what the global clock says: quick, while a run goes on.
PointResult evaluate_times(const store::Store& store, const store::PointRow& point);

/// The global clock under which a point was measured.
GlobalTime global_time_of(const store::Store& store, const store::PointRow& point);
RunResult evaluate(const store::Store& store, const store::RunRow& run);

}  // namespace fathom::analysis
