#pragma once

#include <string>
#include <string_view>

#include "journal/json.hpp"
#include "report/style.hpp"
#include "tune/search/tuning.hpp"

namespace fathom::report {

/// For each operation and number of processes what is best by size, how much faster than the library's own
/// decision, and what is proposed. `all`: every time that was measured besides.
std::string tuning_text(const tune::Tuning& tuning, const Terminal& terminal, bool all);

/// Which files were written, what they gain by the proof, and the lines for a job script. `obstacle` is why
/// none can be written for the library, if so; `document` is where the tuning itself was written.
std::string files_text(const tune::Tuning& tuning, const std::string& obstacle, const std::string& document,
                       const Terminal& terminal);

/// Sizes with a library's file and without.
std::string proof_text(const std::vector<tune::ProofPoint>& proof, const Terminal& terminal);
/// What could not be measured with its rule; nothing if all could.
std::string failed_rules_text(const std::vector<tune::FailedRule>& rules);

/// One of them, as documents have it.
nlohmann::ordered_json proof_point_json(const tune::ProofPoint& point);

/// The same as `fathom.proof/1`.
nlohmann::ordered_json proof_json(const std::string& library, const tune::Proof& proof);

/// Of documents that `fathom tune` writes and `tune --prove` and `tune report` read.
inline constexpr std::string_view tuning_schema = "fathom.tune/1";

/// A tuning with all that is in it.
nlohmann::ordered_json tuning_json(const tune::Tuning& tuning);

}  // namespace fathom::report
