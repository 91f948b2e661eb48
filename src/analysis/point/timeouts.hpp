#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/samples/evidence.hpp"
#include "analysis/samples/repetitions.hpp"
#include "base/units.hpp"

namespace fathom::analysis {

/// What repetitions of a class had: nothing, a loss that was repaired before a timeout, or timeouts.
enum class TimeoutKind { none, repaired, one, two, more };
constexpr std::array<std::string_view, 5> enum_names(TimeoutKind /*unused*/) {
    return {"none", "repaired", "1", "2", "3+"};
}

/// Repetitions that took about the same time for one reason.
struct TimeoutClass {
    TimeoutKind kind = TimeoutKind::none;
    std::int64_t reps = 0;
    double share = 0;
    double from_ns = 0;  ///< shortest and longest whole repetition; 0 if there are none
    double to_ns = 0;
};

/// Whether there were any: `unclear` where the distribution is too broad to identify them, `not-tcp` in
/// simulation and on one host.
enum class TimeoutStatus { none, found, unclear, not_tcp };
constexpr std::array<std::string_view, 4> enum_names(TimeoutStatus /*unused*/) {
    return {"none", "found", "unclear", "not-tcp"};
}

/// Where the retransmission timeout is known from.
enum class RtoSource { connection, kernel, estimated, guessed };
constexpr std::array<std::string_view, 4> enum_names(RtoSource /*unused*/) {
    return {"connection", "kernel", "estimated", "guessed"};
}

/// TCP's retransmission timeouts as they show in times.
struct Timeouts {
    TimeoutStatus status = TimeoutStatus::none;
    double rto_ns = 0;
    RtoSource rto_from = RtoSource::guessed;
    double least_rto_ns = 0;                         ///< that kernels set, whatever a connection measures
    bool certain = false;                            ///< by what kernels counted, not by the times alone
    double median_ns = 0;                            ///< of whole repetitions without timeouts or repairs
    std::vector<TimeoutClass> classes;               ///< in the order above; empty if unclear or not TCP
    std::vector<bool> delayed;                       ///< repetitions that had any; empty if unclear
    std::int64_t inferred = 0;                       ///< timeouts in all repetitions together
    std::optional<std::int64_t> counted;             ///< by the kernel while repetitions were timed
    std::optional<std::int64_t> counted_outside;     ///< and such as delayed none: in between, for one
    std::map<std::string, std::int64_t> counted_on;  ///< the former by host
    std::optional<std::int64_t> probes;              ///< losses that a tail-loss probe found, by the kernel
    double mean_ns = 0;
    std::optional<double> mean_without_ns;  ///< estimated, if there were no timeouts
};

/// `over_tcp`: several hosts, and not simulated.
Timeouts timeouts_of(const Repetitions& repetitions, const Evidence& evidence, bool over_tcp);

}  // namespace fathom::analysis
