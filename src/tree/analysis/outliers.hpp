#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/samples/evidence.hpp"
#include "stats/periodicity.hpp"
#include "tree/analysis/paths.hpp"
#include "tree/analysis/stage.hpp"

namespace fathom::tree {

/// What the kernel counted that may delay a stage.
enum class CountedKind { preempted, migrated, major_fault, tcp_timeout, tcp_retransmit };
constexpr std::array<std::string_view, 5> enum_names(CountedKind /*unused*/) {
    return {"preempted", "migrated", "major-fault", "tcp-timeout", "tcp-retransmit"};
}

/// Something that was counted at outliers more often than otherwise.
struct CountedCause {
    CountedKind kind = CountedKind::preempted;
    std::size_t outliers = 0;  ///< during which it was counted, on a rank of the stage or on its host
    double usual_share = 0;    ///< of the other calls
    double p_value = 1;
};

/// Calls in which a stage took far longer than usual.
struct StageOutliers {
    Stage stage;
    std::size_t calls = 0;     ///< of which
    std::size_t outliers = 0;  ///< are outliers
    double usual_ns = 0;       ///< median
    double threshold_ns = 0;
    double mean_ns = 0;                      ///< of the outliers
    double worst_ns = 0;                     ///< the slowest
    std::optional<double> times_usual = {};  ///< mean by usual; nothing if the stage usually takes no time
    double slowdown = 1;   ///< of the stage: its mean by that of the other calls; 1 if that is 0
    double lost_ns = 0;    ///< per call, over all calls
    int worst_launch = 0;  ///< of the slowest
    std::uint32_t worst_call = 0;
    std::vector<CountedCause> causes = {};  ///< the most frequent first; none where nothing was counted
};

/// What costs most first. Arrival waits are not looked at: who is waited for is.
std::vector<StageOutliers> stage_outliers(const StageTimes& times, const PathTimes& paths,
                                          const analysis::Evidence* evidence);

/// Outliers that recur with a period.
struct PeriodicDisturbance {
    std::optional<int> rank = {};  ///< whose stages they are; nothing: of calls as a whole
    int launch = 0;
    std::size_t events = 0;
    stats::Period period = {};  ///< in nanoseconds
};

/// Those of ranks, or of the calls as a whole where no rank has one. Chance is ruled out over all of them.
std::vector<PeriodicDisturbance> periodic_disturbances(const StageTimes& times, const PathTimes& paths);

}  // namespace fathom::tree
