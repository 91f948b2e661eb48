#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"

namespace fathom::journal {

/// What the operating system counted: of a rank, and where it reads for its host, of the network there.
struct Counts {
    std::int64_t preempted = 0;        ///< involuntary context switches: preemptions
    std::int64_t blocked = 0;          ///< voluntary ones: it yielded the processor
    std::int64_t minor_faults = 0;     ///< page faults that needed no disk
    std::int64_t major_faults = 0;     ///< and those that did
    std::int64_t migrations = 0;       ///< found on another processor than before
    std::int64_t tcp_timeouts = 0;     ///< TcpExt TCPTimeouts
    std::int64_t tcp_retransmits = 0;  ///< TcpExt TCPFastRetrans and TCPLossProbeRecovery
    std::int64_t tcp_probes = 0;       ///< TcpExt TCPLossProbes
    std::int64_t waited_ns = 0;        ///< ready to run but preempted; also 0 where unknown

    static constexpr std::size_t kinds = 9;
    [[nodiscard]] std::array<std::int64_t, kinds> all() const {
        return {preempted,    blocked,         minor_faults, major_faults, migrations,
                tcp_timeouts, tcp_retransmits, tcp_probes,   waited_ns};
    }
    [[nodiscard]] bool none() const { return *this == Counts{}; }
    friend bool operator==(const Counts&, const Counts&) = default;
};

/// What was counted since an earlier reading.
Counts operator-(const Counts& now, const Counts& before);

/// What was counted between two readings, both on the rank's own clock.
struct CountedStretch {
    Nanoseconds begin;
    Nanoseconds end;
    Counts counts;

    friend bool operator==(const CountedStretch&, const CountedStretch&) = default;
};

/// Packs stretches without loss, as samples are packed.
std::string pack_evidence(std::span<const CountedStretch> stretches);

/// Throws Error if the block is damaged or does not hold `count` stretches.
std::vector<CountedStretch> unpack_evidence(std::string_view packed, std::int64_t count);

}  // namespace fathom::journal
