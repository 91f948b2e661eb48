#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"

namespace fathom::plan {

/// Which ranks take part in an operation, and what one repetition of it counts as.
enum class Kind {
    round_trip,  ///< two ranks (--pair); half of the first one's time
    pair,        ///< two ranks; the first one's time
    collective,  ///< all ranks; the slowest one's time
    one_way,  ///< all ranks in pairs; from the sending of each message to its receiving, by the global clock
    matrix,   ///< all ranks, every pair in turn; half of the time of the first of each
    duplex,   ///< all ranks in pairs; one way at a time and both at once by turns
    single,   ///< the first rank alone
};

/// One row of the registry: all that is known of an operation without MPI.
struct OperationInfo {
    std::string_view name;
    std::string_view group;  ///< of calls and patterns that are alike
    Kind kind;
    int min_procs;
    bool sized;   ///< whether message sizes apply
    int element;  ///< bytes: a curve of time against size keeps to multiples of it
    std::string_view calls;
    int version;  ///< of the MPI standard that has them, as 10 * major + minor
    double (*traffic)(double b, double n);
    std::string_view summary;

    /// Whether just two ranks take part (--pair), the first of which is timed.
    [[nodiscard]] bool of_two() const { return kind == Kind::round_trip || kind == Kind::pair; }
    /// Whether all ranks communicate in fixed pairs (--pairs-file).
    [[nodiscard]] bool in_pairs() const;
    /// Whether every process has a block of its own, so that a size may be each one's or the total of all.
    [[nodiscard]] bool in_blocks() const;
    /// Whether it is a study of what can be done during a non-blocking call, not a call alone.
    [[nodiscard]] bool overlaps() const { return group == "overlap"; }
    /// Whether it is the non-blocking form of a collective.
    [[nodiscard]] bool non_blocking_collective() const {
        return group == "collective" && calls.starts_with("MPI_I");
    }
    /// The processes that communicate, where no setting says otherwise: `first-last`, `pairs`, `ring`, `all`,
    /// `one`.
    [[nodiscard]] std::string_view pattern() const;
    /// One-way messages in one repetition: a time is the duration of a repetition divided by this.
    [[nodiscard]] int legs() const { return kind == Kind::round_trip || kind == Kind::matrix ? 2 : 1; }
    /// `3.1`
    [[nodiscard]] std::string version_text() const;
    /// Bytes per second for a time, or 0 where a rate makes no sense.
    [[nodiscard]] double rate_bytes_per_s(Bytes size, int procs, double time_ns) const;
};

/// Begins the names of studies of overlap: `overlap.isend`, `overlap.iallreduce`.
inline constexpr std::string_view overlap_prefix = "overlap.";

/// Stands for all operations that an MPI library has, without the studies of overlap.
inline constexpr std::string_view all_operations = "all";

/// All operations in the order of the registry.
std::span<const OperationInfo> operations();

/// All names in the order of the registry.
std::vector<std::string> operation_names();

/// All but those of studies.
std::vector<std::string> single_operation_names();

/// Null if there is no such operation: in files of a newer version, say.
const OperationInfo* known_operation(std::string_view name);

/// Throws BadInput with the nearest name if there is no such operation.
const OperationInfo& find_operation(std::string_view name);

}  // namespace fathom::plan
