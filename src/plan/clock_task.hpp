#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/named_enum.hpp"
#include "base/units.hpp"

namespace fathom::plan {

enum class ClockStudy { sync, drift, quality, check };
constexpr std::array<std::string_view, 4> enum_names(ClockStudy /*unused*/) {
    return {"sync", "drift", "quality", "check"};
}

/// A study of the clock, as `fathom clock` requests it. Each field applies to the kinds named.
struct ClockTask {
    std::optional<ClockStudy> kind;          ///< absent: measure operations instead
    std::int64_t repeat = 1;                 ///< sync
    Nanoseconds length{60'000'000'000};      ///< drift
    Nanoseconds every{1'000'000'000};        ///< drift
    std::int64_t pairs = 28;                 ///< drift: most pairs of ranks
    std::int64_t pings = 50'000;             ///< quality
    std::vector<Nanoseconds> after = {{0}};  ///< check: times since the clocks were set
    std::int64_t events = 50;                ///< check: at each of these times
};

}  // namespace fathom::plan
