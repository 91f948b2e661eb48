#pragma once

#include <optional>
#include <string>
#include <vector>

#include "store/rows.hpp"

namespace fathom::launch {

/// Why the job ended, from the output of the launcher or the probe, as a clause for the user:
/// `rank 17 on node c3 died (signal 11)`. Nothing if the output does not say.
/// The ranks serve to find the rank of a process id.
std::optional<std::string> failure_cause(const std::string& output, const std::vector<store::RankRow>& ranks);

/// Whether the output of a launcher speaks of a link that went down. A rank that dies takes its connections
/// with it, but without these words.
bool lost_a_link(const std::string& output);

}  // namespace fathom::launch
