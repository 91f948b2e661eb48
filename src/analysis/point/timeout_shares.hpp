#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/point/timeouts.hpp"

namespace fathom::analysis {

/// How many timeouts the times of a process show: none, one, two, or more.
struct TimeoutShares {
    static constexpr std::array<TimeoutKind, 4> kinds{TimeoutKind::none, TimeoutKind::one, TimeoutKind::two,
                                                      TimeoutKind::more};
    int rank = 0;
    std::string host = {};
    std::array<std::int64_t, 4> times = {};  ///< by kinds

    [[nodiscard]] std::int64_t count() const;
    [[nodiscard]] double share(std::size_t kind) const;  ///< 0 if there are none
};

/// The times of all processes one by one, by the rule of Abdul Hamid's thesis: up to the shortest of all and
/// the kernel's smallest timeout a time has none, each further one of these is one more. It knows nothing
/// of counters, and a delay of any other cause counts too.
struct TimeoutsByProcess {
    double least_ns = 0;  ///< the shortest time of any process
    double step_ns = 0;
    TimeoutShares all;
    std::vector<TimeoutShares> ranks;
};

/// Nothing without the times of single processes, or without TCP.
std::optional<TimeoutsByProcess> timeouts_by_process(const Repetitions& repetitions, const Evidence& evidence,
                                                     const Timeouts& timeouts);

}  // namespace fathom::analysis
