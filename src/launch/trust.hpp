#pragma once

#include <cstdint>
#include <string>

#include "store/store.hpp"

/// Which runs of a result file are one's own. A stored run names a launcher, a platform file and environment
/// variables, and to measure it again is to run them: a file may come from anyone (docs/security.md).
namespace fathom::launch {

/// What of a stored run would be used.
enum class Use {
    plan,                ///< by --resume
    plan_and_variables,  ///< by --against
};

/// Marks a run as made by this user: with a hash of what it names, under a key that only this user can read.
/// The key is made if there is none; where that is impossible, the run has no mark.
void mark_as_own(store::Store& store, std::int64_t run);

/// Replaces the plan of a run, where measuring it has settled what was left open. It stays one's own if it
/// was.
void change_plan(store::Store& store, std::int64_t run, const std::string& plan_toml);

/// Marks the variables too that the last job of one's own run had: to be called by who started that job.
void mark_variables(store::Store& store, std::int64_t run);

/// Whether a run names programs, files or variables and is not marked as this user's.
bool is_foreign(const store::Store& store, const store::RunRow& run, Use use);

/// Throws BadInput if a run is foreign; it shows what the run names, and says how to use that nevertheless.
void refuse_foreign_run(const store::Store& store, const store::RunRow& run, Use use);

}  // namespace fathom::launch
