#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "analysis/overlap/overlap.hpp"
#include "analysis/samples/disturbance.hpp"
#include "stats/summary.hpp"
#include "store/rows.hpp"

namespace fathom::analysis {

/// Why a point has no times, where the store gives no reason.
enum class NoTimes {
    not_measured_yet,
    unknown_operation,  ///< to this fathom
    no_global_clock,    ///< for one-way times
    root_left_out,      ///< only rank 0's time counts, and it was not selected
    ranks_left_out      ///< none of the selected ranks takes part
};

/// The probe stopped at a limit.
struct LimitReached {
    std::string remark;  ///< in its own words

    friend bool operator==(const LimitReached&, const LimitReached&) = default;
};

/// Launches without a result, and why the first has none: neither reason means no valid repetition.
struct LaunchesFailed {
    std::size_t failed = 0;
    std::size_t of = 0;
    std::string reason = {};  ///< as stored
    std::optional<NoTimes> no_times = {};

    friend bool operator==(const LaunchesFailed&, const LaunchesFailed&) = default;
};

/// The 95 % interval is wider than was requested. Both in percent of the median.
struct GoalMissed {
    double width_percent = 0;
    double goal_percent = 0;

    friend bool operator==(const GoalMissed&, const GoalMissed&) = default;
};

/// Ranks of a launch were preempted.
struct Disturbed {
    std::vector<DisturbedTime> times = {};
    std::optional<store::Moment> moment = {};  ///< ties the clock to the time of day
    std::int64_t set_aside = 0;                ///< repetitions
    std::int64_t of = 0;

    friend bool operator==(const Disturbed&, const Disturbed&) = default;
};

/// Ranks were preempted in some of several launches.
struct LaunchesDisturbed {
    std::size_t launches = 0;
    std::size_t of_launches = 0;
    std::int64_t set_aside = 0;  ///< repetitions
    std::int64_t of = 0;

    friend bool operator==(const LaunchesDisturbed&, const LaunchesDisturbed&) = default;
};

/// The drift of a rank's clock against rank 0's changed during the measurement.
struct DriftChanged {
    int rank = 0;
    double before_ppm = 0;
    double after_ppm = 0;
    Nanoseconds uncertainty;  ///< of its start times, for this reason alone

    friend bool operator==(const DriftChanged&, const DriftChanged&) = default;
};

/// The median has no 95 % interval.
struct NoInterval {
    std::int64_t reps = 0;
    bool few = false;  ///< false: as many would do if they were independent

    friend bool operator==(const NoInterval&, const NoInterval&) = default;
};

/// Processes started apart by more than a tenth of the measured time.
struct StartedApart {
    double median_ns = 0;

    friend bool operator==(const StartedApart&, const StartedApart&) = default;
};

/// Two values that launches take, nothing between: decided when the job starts.
struct LaunchLevels {
    double low_ns = 0;   ///< median of the launches at the lower level
    double high_ns = 0;  ///< and at the higher
    std::size_t low_launches = 0;
    std::size_t high_launches = 0;

    friend bool operator==(const LaunchLevels&, const LaunchLevels&) = default;
};

/// Events of a trace that found no room.
struct EventsDropped {
    std::int64_t dropped = 0;
    std::int64_t of = 0;

    friend bool operator==(const EventsDropped&, const EventsDropped&) = default;
};

using PointWarningFacts =
    std::variant<LimitReached, LaunchesFailed, GoalMissed, Disturbed, LaunchesDisturbed, DriftChanged,
                 NoInterval, StartedApart, WorkOff, WorkDrifted, LaunchLevels, EventsDropped>;

enum class PointWarningKind {
    limit,
    disturbed,
    clock,
    few_repetitions,
    start_skew,
    overlap,
    launch_levels,
    trace
};
constexpr std::array<std::string_view, 8> enum_names(PointWarningKind /*unused*/) {
    return {"limit",      "disturbed", "clock",         "few-repetitions",
            "start-skew", "overlap",   "launch-levels", "trace"};
}

/// What a reader of a point should know. report/sentences/point_warning.hpp says it in a sentence.
struct PointWarning {
    PointWarningFacts facts;

    [[nodiscard]] PointWarningKind kind() const;

    friend bool operator==(const PointWarning&, const PointWarning&) = default;
};

/// Whether so many repetitions may lack an interval only because they are few.
bool few_repetitions(const stats::Summary& time);

}  // namespace fathom::analysis
