#include "report/sentences/point_warning.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/text.hpp"
#include "base/units.hpp"

namespace fathom::report {
namespace {

constexpr std::int64_t ns_per_second = 1'000'000'000;

/// `07:21:03.4`
std::string time_of_day(Nanoseconds utc) {
    const std::time_t seconds = utc.count / ns_per_second;
    return fmt::format("{:%H:%M:%S}.{}", fmt::gmtime(seconds),
                       utc.count % ns_per_second / (ns_per_second / 10));
}

std::string when(const analysis::DisturbedTime& time, const std::optional<store::Moment>& moment) {
    const auto seconds = [](Nanoseconds span) {
        return static_cast<double>(span.count) / static_cast<double>(ns_per_second);
    };
    return moment ? fmt::format("from {} to {} UTC ({:.1f} to {:.1f} s into the job)",
                                time_of_day(moment->utc + (time.begin - moment->clock)),
                                time_of_day(moment->utc + (time.end - moment->clock)),
                                seconds(time.begin - moment->clock), seconds(time.end - moment->clock))
                  : fmt::format("for {:.1f} s", seconds(time.end - time.begin));
}

std::string set_aside_text(std::int64_t set_aside, std::int64_t of) {
    return fmt::format("; {} of {} repetitions were set aside", count_text(set_aside), count_text(of));
}

struct WarningInWords {
    std::string operator()(const analysis::LimitReached& limit) const { return limit.remark; }
    std::string operator()(const analysis::LaunchesFailed& launches) const {
        const auto why = launches.no_times         ? sentence(*launches.no_times)
                         : launches.reason.empty() ? "no valid repetition"
                                                   : launches.reason;
        return fmt::format("{} of {} launches gave no result: {}", launches.failed, launches.of, why);
    }
    std::string operator()(const analysis::GoalMissed& goal) const {
        return fmt::format("the 95 % interval over its launches is {:.3g} % of the median, target {:.3g} %",
                           goal.width_percent, goal.goal_percent);
    }
    std::string operator()(const analysis::Disturbed& disturbed) const {
        constexpr std::size_t most = 3;  // further ones are only counted
        const auto& times = disturbed.times;
        std::vector<std::string> parts;
        for (std::size_t i = 0; i < std::min(most, times.size()); ++i) {
            // Kernel counters and our clock are read one after the other: a share may be a little above 1.
            parts.push_back(fmt::format("{}, when rank {} was preempted for {:.0f} % of the time",
                                        when(times[i], disturbed.moment), times[i].rank,
                                        100 * std::min(1.0, times[i].share)));
        }
        if (times.size() > most) {
            parts.push_back(fmt::format("{} more times", times.size() - most));
        }
        return fmt::format("the machine was disturbed {}{}", and_list(parts),
                           disturbed.set_aside > 0 ? set_aside_text(disturbed.set_aside, disturbed.of) : "");
    }
    std::string operator()(const analysis::LaunchesDisturbed& disturbed) const {
        return fmt::format("ranks were preempted in {} of {} launches{}", disturbed.launches,
                           disturbed.of_launches, set_aside_text(disturbed.set_aside, disturbed.of));
    }
    std::string operator()(const analysis::DriftChanged& drift) const {
        return fmt::format(
            "the drift of rank {}'s clock changed from {:+.2f} to {:+.2f} ppm during the measurement; its "
            "start times are uncertain by another {}",
            drift.rank, drift.before_ppm, drift.after_ppm,
            time_text(static_cast<double>(drift.uncertainty.count)));
    }
    std::string operator()(const analysis::NoInterval& none) const {
        return none.few ? "too few repetitions for a 95 % interval; give --reps 30 or more"
                        : fmt::format(
                              "no 95 % interval: {} repetitions resemble each other so much that they count "
                              "for fewer than 6 independent ones; give more time (--point-budget) or --runs",
                              count_text(none.reps));
    }
    std::string operator()(const analysis::StartedApart& starts) const {
        return fmt::format("processes started {} apart (median), more than a tenth of the measured time",
                           time_text(starts.median_ns));
    }
    std::string operator()(const analysis::WorkOff& work) const {
        return fmt::format("work was off by more than 1 %: requested {}, took {} (rank {})",
                           time_text(work.requested_ns), time_text(work.took_ns), work.rank);
    }
    std::string operator()(const analysis::WorkDrifted& work) const {
        return fmt::format(
            "the speed of the work changed during the study: a unit took {:.1f} % {} afterwards (rank {})",
            100 * std::abs(work.change), work.change > 0 ? "more" : "less", work.rank);
    }
    std::string operator()(const analysis::LaunchLevels& levels) const {
        return fmt::format("two levels, fixed at launch: {} in {} of {}, {} in {}", time_text(levels.low_ns),
                           levels.low_launches, levels.low_launches + levels.high_launches,
                           time_text(levels.high_ns), levels.high_launches);
    }
    std::string operator()(const analysis::EventsDropped& events) const {
        return fmt::format(
            "{} of {} events of its trace were dropped, because the ring of a rank was full; give a larger "
            "--trace-ring, or --trace every=K",
            count_text(events.dropped), count_text(events.of));
    }
};

}  // namespace

std::string sentence(const analysis::PointWarning& warning) {
    return std::visit(WarningInWords{}, warning.facts);
}

std::string sentence(analysis::NoTimes why) {
    switch (why) {
        case analysis::NoTimes::not_measured_yet:
            return "not measured yet";
        case analysis::NoTimes::unknown_operation:
            return "this fathom does not know the operation; a newer one may have measured it";
        case analysis::NoTimes::no_global_clock:
            return "one-way times need synchronised clocks on all ranks";
        case analysis::NoTimes::root_left_out:
            return "only rank 0's time counts, and it is not among --ranks";
        case analysis::NoTimes::ranks_left_out:
            return "none of --ranks takes part in the operation";
    }
    return {};
}

std::string reason_of(const std::string& stored, const std::optional<analysis::NoTimes>& no_times) {
    return no_times ? sentence(*no_times) : stored;
}

std::string reason_of(const analysis::PointResult& point) {
    return reason_of(point.reason, point.no_times);
}

}  // namespace fathom::report
