#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::journal {

/// What a collector inside one of our own collectives saw of one call: when data passed it on the way down
/// (towards the root) and up again, by the clock of the rank that performs it. A way that the operation does
/// not have is `never`. As tree::Event, but with the call numbered within its point: repetition times calls
/// in a repetition, plus the place among those.
struct CallEvent {
    static constexpr std::int64_t never = INT64_MIN;

    std::int64_t call = 0;
    int collector = 0;
    std::int64_t down_ns = never;
    std::int64_t up_ns = never;

    friend bool operator==(const CallEvent&, const CallEvent&) = default;
};

/// Packs events without loss, as samples are packed.
std::string pack_events(std::span<const CallEvent> events);

/// Throws Error if the block is damaged or does not hold `count` events.
std::vector<CallEvent> unpack_events(std::string_view packed, std::int64_t count);

}  // namespace fathom::journal
