#include "journal/evidence.hpp"

#include "journal/packing.hpp"

namespace fathom::journal {
namespace {

/// Begin, end, and what was counted.
constexpr std::size_t numbers = 2 + Counts::kinds;

Counts counts_from(const std::array<std::int64_t, Counts::kinds>& all) {
    const auto [preempted, blocked, minor_faults, major_faults, migrations, timeouts, retransmits, probes,
                waited] = all;
    return {.preempted = preempted,
            .blocked = blocked,
            .minor_faults = minor_faults,
            .major_faults = major_faults,
            .migrations = migrations,
            .tcp_timeouts = timeouts,
            .tcp_retransmits = retransmits,
            .tcp_probes = probes,
            .waited_ns = waited};
}

}  // namespace

Counts operator-(const Counts& now, const Counts& before) {
    auto counts = now.all();
    const auto earlier = before.all();
    for (std::size_t i = 0; i < counts.size(); ++i) {
        counts[i] -= earlier[i];
    }
    return counts_from(counts);
}

std::string pack_evidence(std::span<const CountedStretch> stretches) {
    std::string plain;
    std::int64_t before = 0;
    for (const auto& stretch : stretches) {
        put_difference(plain, stretch.begin.count, before);
        put_difference(plain, stretch.end.count, stretch.begin.count);
        for (const auto count : stretch.counts.all()) {
            put_difference(plain, count, 0);
        }
        before = stretch.end.count;
    }
    return compressed(plain);
}

std::vector<CountedStretch> unpack_evidence(std::string_view packed, std::int64_t count) {
    const auto plain = decompressed(packed, count, numbers, 0);
    NumberReader reader(plain);
    std::vector<CountedStretch> stretches;
    stretches.reserve(static_cast<std::size_t>(count));
    std::int64_t before = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        CountedStretch stretch;
        stretch.begin = {reader.next_after(before)};
        stretch.end = {reader.next_after(stretch.begin.count)};
        std::array<std::int64_t, Counts::kinds> all{};
        for (auto& number : all) {
            number = reader.next_after(0);
        }
        stretch.counts = counts_from(all);
        before = stretch.end.count;
        stretches.push_back(stretch);
    }
    if (!reader.at_end()) {
        throw damaged_block();
    }
    return stretches;
}

}  // namespace fathom::journal
