#pragma once

#include <string>
#include <vector>

#include "store/store.hpp"

namespace fathom::cli {

/// A run in some result file.
struct RunReference {
    store::Store store;
    store::RunRow run;
};

/// `RUN` (number, label or 'last') of the usual file, `FILE` (its last run), or `FILE:RUN`. Throws BadInput
/// that says what there is.
RunReference find_run(const std::string& name, const std::string& db);

/// Several of them, none twice.
std::vector<RunReference> find_runs(const std::vector<std::string>& names, const std::string& db);

/// The help text of commands that take such names.
inline constexpr const char* run_reference_help =
    "number, label or 'last'; or FILE, or FILE:RUN, of another result file";

}  // namespace fathom::cli
