#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "stats/reduction.hpp"

namespace fathom::analysis {

struct PointResult;

/// The parameters of LogGP (Alexandrov, Ionescu, Schauser and Scheiman, 1995) in a range of sizes that one
/// protocol serves: a message of s bytes takes o_s + (s-1) G + L + o_r, the next one may follow g + (s-1) G
/// after it.
struct LogGpRange {
    Bytes from;
    Bytes to;
    std::optional<stats::Reduced> latency_ns;           ///< L
    std::optional<stats::Reduced> send_overhead_ns;     ///< o_s, the median over the sizes of the range
    std::optional<stats::Reduced> receive_overhead_ns;  ///< o_r
    std::optional<stats::Reduced> gap_ns;               ///< g
    std::optional<stats::Reduced> gap_per_byte_ns;      ///< G
    std::string reason;                                 ///< why a parameter is missing
};

struct LogGp {
    int procs = 0;
    std::vector<LogGpRange> ranges;
    std::string reason;  ///< why there are no ranges: what was not measured
};

/// One for each number of processes with overlap.isend or overlap.irecv. L and o come from those and
/// pingpong, g and G from message-rate with 2 processes.
std::vector<LogGp> loggp_of(const std::vector<PointResult>& points);

}  // namespace fathom::analysis
