#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/store.hpp"

namespace fathom::analysis {

/// What was measured, by which library, where: runs that are alike in all of it measure the same thing on the
/// same machine.
struct RunKind {
    std::string flavour;
    std::string library_version;
    std::string fathom_version;
    std::string time_source;
    int procs = 0;
    std::string plan;  ///< but its label, tags, seed, number of launches and term between runs
    std::vector<std::pair<std::string, std::string>> places;          ///< of each rank: its host and binding
    std::map<std::string, std::map<std::string, std::string>> hosts;  ///< their facts that times depend on
    std::map<std::string, std::string> variables;                     ///< that steer the MPI library

    friend bool operator==(const RunKind&, const RunKind&) = default;
};

/// The kind of a run. Throws BadInput if this fathom cannot read its plan.
RunKind kind_of(const store::Store& store, const store::RunRow& run);

/// Environment variables that steer the MPI library, as far as the user set them.
std::map<std::string, std::string> variables_of(const store::EnvironmentRows& environment);

/// The first job of each launch, in their order: rising numbers of the result file.
std::vector<std::int64_t> launch_jobs_of(const store::Store& store, std::int64_t run);

/// What tells whether a run took turns with another of its file.
struct Turns {
    std::int64_t run = 0;
    std::optional<std::int64_t> in_turn_with = {};  ///< as it is stored
    std::vector<std::int64_t> launch_jobs = {};     ///< see launch_jobs_of
};

/// Whether two runs of a file were measured at the same time in turn: by one command, and each has several
/// launches, which alternate as often as the run with fewer has launches. One run after the other alternates
/// once, `--against` (AB, BA, AB) as often as either is launched. Where neither says what it was measured
/// with, their launches decide alone; a run that was resumed after another may be taken for its partner then.
bool took_turns(const Turns& first, const Turns& second);

}  // namespace fathom::analysis
