#include "journal/events.hpp"

#include <climits>

#include "journal/limits.hpp"
#include "journal/packing.hpp"

namespace fathom::journal {
namespace {

/// Call, collector, way down, way up.
constexpr std::size_t numbers_of_event = 4;

constexpr std::uint64_t went_down = 1;
constexpr std::uint64_t went_up = 2;

}  // namespace

std::string pack_events(std::span<const CallEvent> events) {
    std::string plain;
    constexpr std::size_t usual_bytes = 8;
    plain.reserve(events.size() * usual_bytes);
    CallEvent before{.call = 0, .collector = 0, .down_ns = 0, .up_ns = 0};
    for (const auto& event : events) {
        const bool down = event.down_ns != CallEvent::never;
        const bool up = event.up_ns != CallEvent::never;
        put_difference(plain, event.call, before.call);
        put_difference(plain, event.collector, before.collector);
        plain += static_cast<char>((down ? went_down : 0) | (up ? went_up : 0));
        // Each time is near to the same one of the event before; one that is not there takes no room.
        const CallEvent now{.call = event.call,
                            .collector = event.collector,
                            .down_ns = down ? event.down_ns : before.down_ns,
                            .up_ns = up ? event.up_ns : before.up_ns};
        put_difference(plain, now.down_ns, before.down_ns);
        put_difference(plain, now.up_ns, before.up_ns);
        before = now;
    }
    return compressed(plain);
}

std::vector<CallEvent> unpack_events(std::string_view packed, std::int64_t count) {
    const auto plain = decompressed(packed, count, numbers_of_event, 1);
    NumberReader reader(plain);
    std::vector<CallEvent> events;
    events.reserve(static_cast<std::size_t>(count));
    CallEvent before{.call = 0, .collector = 0, .down_ns = 0, .up_ns = 0};
    for (std::int64_t i = 0; i < count; ++i) {
        before.call = reader.next_after(before.call);
        const auto collector = reader.next_after(before.collector);
        const auto ways = reader.next_unsigned();
        before.down_ns = reader.next_after(before.down_ns);
        before.up_ns = reader.next_after(before.up_ns);
        if (before.call < 0 || before.call > most_calls || collector < 0 || collector > INT_MAX ||
            ways > (went_down | went_up)) {
            throw damaged_block();
        }
        before.collector = static_cast<int>(collector);
        events.push_back({.call = before.call,
                          .collector = before.collector,
                          .down_ns = (ways & went_down) != 0 ? before.down_ns : CallEvent::never,
                          .up_ns = (ways & went_up) != 0 ? before.up_ns : CallEvent::never});
    }
    if (!reader.at_end()) {
        throw damaged_block();
    }
    return events;
}

}  // namespace fathom::journal
