#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/samples/global_time.hpp"
#include "analysis/samples/repetitions.hpp"
#include "journal/evidence.hpp"
#include "store/store.hpp"

namespace fathom::analysis {

/// What the operating system counted on one rank in a stretch of time; of the network, on its host.
struct EvidenceWindow {
    int rank = 0;
    Stretch when;
    journal::Counts counts;
};

/// What was counted around the repetitions of a point, in all launches.
struct Evidence {
    bool counted = false;                 ///< whether counters were read at all
    bool network = false;                 ///< those of the network too
    std::map<int, std::string> hosts;     ///< of ranks
    std::vector<EvidenceWindow> windows;  ///< those in which anything happened, by their begin
    std::int64_t readings = 0;            ///< of all ranks
    Nanoseconds spent{0};                 ///< on them, of all ranks
    Nanoseconds measured{0};              ///< time in which they were made, of all ranks
    std::optional<Nanoseconds> rto;       ///< smallest retransmission timeout of a connection
    std::optional<Nanoseconds> rto_min;   ///< the least that a kernel takes
};

/// What was counted in one launch of a point.
Evidence evidence_of(const store::Store& store, const store::PointRow& point, const GlobalTime& clock,
                     int start);

/// Adds what another launch of the same point counted.
void add(Evidence& evidence, Evidence&& another);

}  // namespace fathom::analysis
