#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"

namespace fathom::plan {

/// Which ranks take part in an operation, and what one repetition of it counts as.
enum class Family { pair, collective };

/// One row of the registry: all that is known of an operation without MPI.
struct OperationInfo {
    std::string_view name;
    Family family;
    std::string_view group;  ///< of calls that are alike
    bool sized;              ///< whether message sizes apply
    int element;             ///< bytes: a curve of time against size keeps to multiples of it
    std::string_view calls;
    int version;  ///< of the MPI standard that has them, as 10 * major + minor
    double (*traffic)(double b, double n);
    std::string_view summary;

    [[nodiscard]] int min_procs() const { return family == Family::pair ? 2 : 1; }
    /// The processes that communicate: `first-last` or `all`.
    [[nodiscard]] std::string_view pattern() const { return family == Family::pair ? "first-last" : "all"; }
    /// One-way messages in one repetition: a time is the duration of a repetition divided by this.
    [[nodiscard]] int legs() const { return family == Family::pair ? 2 : 1; }
    /// Bytes per second for a time, or 0 where a rate makes no sense.
    [[nodiscard]] double rate_bytes_per_s(Bytes size, int procs, double time_ns) const;
};

/// All operations in the order of the registry.
std::span<const OperationInfo> operations();

/// All names in the order of the registry.
std::vector<std::string> operation_names();

/// Throws BadInput with the nearest name if there is no such operation.
const OperationInfo& find_operation(std::string_view name);

}  // namespace fathom::plan
