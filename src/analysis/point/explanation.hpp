#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/point/timeouts.hpp"
#include "analysis/samples/evidence.hpp"

namespace fathom::analysis {

/// What the operating system counted.
enum class CauseKind { tcp_timeout, tcp_retransmit, preempted, blocked, page_fault, migration };
constexpr std::array<std::string_view, 6> enum_names(CauseKind /*unused*/) {
    return {"tcp-timeout", "tcp-retransmit", "preempted", "blocked", "page-fault", "migration"};
}

/// The share of the total time above which a cause is named: every system takes the processor for some
/// microseconds now and then.
inline constexpr double least_share_to_name = 0.01;

/// A cause of slow repetitions, with the counter that saw it.
struct Cause {
    CauseKind kind = CauseKind::preempted;
    bool major = false;       ///< of page faults: they waited for the disk
    std::string host;         ///< where; empty if it is not known
    std::optional<int> rank;  ///< absent where the host as a whole counts: the network
    std::int64_t reps = 0;    ///< slow repetitions that coincide with it
    std::int64_t events = 0;  ///< counted in these
    double lost_ns = 0;       ///< by which these took longer than the usual one, all together
    double expected = 0;      ///< coincidences expected by chance; 0 for timeouts, which are identified by
                              ///< their length
};

/// Why some repetitions of a point were slow.
struct Explanation {
    bool counted = false;       ///< whether counters were read
    std::int64_t slow = 0;      ///< repetitions
    double threshold_ns = 0;    ///< from which they are slow
    std::vector<Cause> causes;  ///< the one that took most time first; a repetition has one cause
    std::int64_t small = 0;     ///< that coincide with something too small to be named: see docs/method.md
    std::int64_t unexplained = 0;
    double cost_per_reading_ns = 0;
    double cost_share = 0;  ///< of the time of the measurement that reading counters took
};

/// Never names a cause without a counter that saw it.
Explanation explanation_of(const Repetitions& repetitions, const Evidence& evidence,
                           const Timeouts& timeouts);

}  // namespace fathom::analysis
