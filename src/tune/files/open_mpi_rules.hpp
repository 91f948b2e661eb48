#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tune/files/rules.hpp"

namespace fathom::tune {

/// The version of Open MPI that a file is for, as it decides the file's format.
struct OpenMpiVersion {
    int major = 0;
    int minor = 0;
    int release = 0;

    friend auto operator<=>(const OpenMpiVersion&, const OpenMpiVersion&) = default;
};
/// From what MPI_Get_library_version says: `Open MPI v4.1.4, package: ...`.
std::optional<OpenMpiVersion> open_mpi_version(std::string_view library);

/// Whether its rules have a number of requests.
bool open_mpi_has_requests(const OpenMpiVersion& version);

/// Whether its tuned component reads rules for an operation.
bool open_mpi_has_rules(std::string_view operation);

/// Whether it is a reduction. Its rules do not tell operators that commute from others.
bool open_mpi_reduces(std::string_view operation);

/// The size by which it looks for a rule, for a size as fathom counts it: all data of the communicator for
/// some operations, those of a process for others.
std::int64_t open_mpi_message_bytes(std::string_view operation, Bytes size, int procs);

/// The file for `coll_tuned_dynamic_rules_filename`. Communicators of other sizes than those of the rules,
/// and messages outside of them, are left to the library: a rule of Open MPI holds for all larger ones, so
/// one that leaves it to the library follows.
std::string open_mpi_rules(const RuleFile& file, const OpenMpiVersion& version);

/// Whether an algorithm does the same for any number of processes: others need a power of two, an even number
/// or just two, and are replaced by something else, or fail, where they do not have it.
bool open_mpi_takes_any_size(std::string_view algorithm);

}  // namespace fathom::tune
