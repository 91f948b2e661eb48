#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/named_enum.hpp"
#include "base/units.hpp"

namespace fathom::plan {

/// Groups of similar calls and patterns, in the order of the registry; each is a file in src/probe/ops.
enum class Group {
    point_to_point,
    pattern,
    stream,
    survey,
    collective,
    communicator,
    one_sided,
    master_worker,
    single,
    kernel,
    overlap,  ///< studies of what can be done during a non-blocking call, not calls alone
};
constexpr std::array<std::string_view, 11> enum_names(Group /*unused*/) {
    return {"point_to_point", "pattern",       "stream", "survey", "collective", "communicator",
            "one_sided",      "master_worker", "single", "kernel", "overlap"};
}

/// Which ranks take part in an operation, and what one repetition of it counts as.
enum class Kind {
    round_trip,  ///< two ranks (--pair); half of the first one's time
    pair,        ///< two ranks; the first one's time
    collective,  ///< all ranks; the slowest one's time
    one_way,  ///< all ranks in pairs; from the sending of each message to its receiving, by the global clock
    matrix,   ///< all ranks, every pair in turn; half of the time of the first of each
    duplex,   ///< all ranks in pairs; one way at a time and both at once, alternating
    single,   ///< the first rank alone
};

/// How a collective is called.
enum class Form { blocking, non_blocking, persistent };

/// How the two ranks of a one-sided call keep in step.
enum class Synchronisation { fence, pscw, lock, flush };
constexpr std::array<std::string_view, 4> enum_names(Synchronisation /*unused*/) {
    return {"fence", "pscw", "lock", "flush"};
}
/// Whether the target makes no calls of its own.
constexpr bool passive_target(Synchronisation synchronisation) {
    return synchronisation == Synchronisation::lock || synchronisation == Synchronisation::flush;
}

/// What else is true of an operation; joined by |.
enum class Fact : unsigned {
    none = 0,
    in_pairs = 1,          ///< all ranks communicate in fixed pairs (--pairs-file)
    both_ways = 2,         ///< the ranks of a pair send to each other at the same time
    in_blocks = 4,         ///< every process has a block: a size may be each one's or the total of all
    by_counts = 8,         ///< whose sizes may differ: the v and w forms, and reduce_scatter
    with_neighbours = 16,  ///< a collective between the neighbours in a grid
    receives = 32,         ///< the first rank of the two is the one that receives
    over_trees = 64,       ///< its collectives can be performed by a tree, where it makes blocking calls
};
constexpr Fact operator|(Fact a, Fact b) {
    return static_cast<Fact>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}

/// One row of the registry: all that is known of an operation without MPI.
struct OperationInfo {
    std::string_view name;
    std::string_view call;  ///< the factor of a product that is a call (`put` of `put.fence`), else the name
    Group group;
    Kind kind;
    int min_procs;
    bool sized;   ///< whether message sizes apply
    int element;  ///< bytes: a curve of time against size keeps to multiples of it
    Fact facts;
    std::string_view calls;
    int version;  ///< of the MPI standard that has them, as 10 * major + minor
    double (*traffic)(double b, double n);
    std::string_view summary;
    std::optional<Form> form = {};  ///< of a collective, also where it is studied
    std::optional<Synchronisation> synchronisation = {};

    [[nodiscard]] constexpr bool is(Fact fact) const {
        return (static_cast<unsigned>(facts) & static_cast<unsigned>(fact)) != 0;
    }
    /// Whether just two ranks take part (--pair), the first of which is timed.
    [[nodiscard]] bool of_two() const { return kind == Kind::round_trip || kind == Kind::pair; }
    [[nodiscard]] bool has_passive_target() const {
        return synchronisation && passive_target(*synchronisation);
    }
    [[nodiscard]] bool overlaps() const { return group == Group::overlap; }
    /// Whether this is one of its MPI calls (`MPI_Bcast`), in any case.
    [[nodiscard]] bool makes_call(std::string_view call) const;
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

/// A collective in one of its forms: `collective_of("bcast", Form::persistent)`. Null if there is none.
const OperationInfo* collective_of(std::string_view call, Form form);

/// Throws UnknownName with the nearest name if there is no such operation.
const OperationInfo& find_operation(std::string_view name);

/// The same for what a user wrote, who may also name the MPI call, in any case: `MPI_Allreduce`. A call of
/// several operations is refused with their names.
const OperationInfo& operation_given(std::string_view word);

}  // namespace fathom::plan
