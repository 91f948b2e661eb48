#pragma once

#include <optional>
#include <string>
#include <vector>

#include "store/rows.hpp"

namespace fathom::launch {

/// What a launcher's or the probe's own words say about why the job ended, as a clause for the user:
/// `rank 17 on node c3 died (signal 11)`. Nothing if they do not say.
/// The ranks serve to find the rank of a process id.
std::optional<std::string> failure_cause(const std::string& output, const std::vector<store::RankRow>& ranks);

}  // namespace fathom::launch
