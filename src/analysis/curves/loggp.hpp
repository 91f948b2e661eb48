#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/units.hpp"
#include "stats/reduction.hpp"

namespace fathom::analysis {

struct PointResult;

/// Fewer sizes do not distinguish a line from a curve.
inline constexpr std::size_t least_loggp_sizes = 3;

/// What the parameters come from.
enum class LogGpInput { send_overhead, receive_overhead, one_way, gap };
constexpr std::array<std::string_view, 4> enum_names(LogGpInput /*unused*/) {
    return {"send-overhead", "receive-overhead", "one-way", "gap"};
}

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
    std::size_t gap_sizes = 0;                          ///< that g and G come from
    std::size_t wire_sizes = 0;                         ///< that L comes from
};

struct LogGp {
    int procs = 0;
    std::vector<LogGpRange> ranges;
    std::vector<LogGpInput> missing = {};     ///< what was not measured; then there are no ranges
    std::vector<LogGpInput> unreliable = {};  ///< what no point that can be relied on has; then neither
};

/// One for each number of processes with overlap.isend or overlap.irecv. L and o come from those and
/// pingpong, g and G from message-rate with 2 processes.
std::vector<LogGp> loggp_of(const std::vector<PointResult>& points);

}  // namespace fathom::analysis
