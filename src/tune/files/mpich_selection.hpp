#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tune/files/rules.hpp"

namespace fathom::tune {

/// The texts by which MPICH chooses where no files are given, found in the bytes of its library.
struct MpichSelections {
    std::string algorithms;  ///< of all collectives
    std::string
        compositions;  ///< how its device puts a collective together from those within and between hosts
};
/// Nothing if the first is not there.
std::optional<MpichSelections> mpich_selections(std::string_view library);

/// Whether a selection can have rules for the operation.
bool mpich_selects(std::string_view selection, std::string_view operation);

/// Whether a selection uses an algorithm for communicators whose size is not a power of two: some end the job
/// there.
bool mpich_takes_any_size(std::string_view selection, std::string_view operation, std::string_view name);

/// The size by which it looks for an algorithm, for a size as fathom counts it.
std::int64_t mpich_message_bytes(std::string_view operation, Bytes size, int procs);

/// The name by which a selection has an algorithm of MPIR_CVAR_..._INTRA_ALGORITHM.
std::string mpich_algorithm(std::string_view operation, std::string_view name);

/// The file for MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE: what the library does by itself, and the rules for
/// communicators of just their sizes and for calls like those that were measured: of reductions for operators
/// of the same kind, without MPI_IN_PLACE where that needs another algorithm. Remarks are not part of it:
/// JSON has none, and the library reads every name as a condition. Throws BadInput if `selection` is not one.
std::string mpich_selection(const RuleFile& file, std::string_view selection);

/// The file for MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE that goes with it: for some collectives the
/// device decides first, and reaches that selection only by the composition that makes no difference between
/// hosts. Nothing if no rule needs it.
std::optional<std::string> mpich_compositions(const RuleFile& file, std::string_view compositions);

}  // namespace fathom::tune
