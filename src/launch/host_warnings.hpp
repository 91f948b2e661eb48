#pragma once

#include <cstdint>
#include <vector>

#include "store/store.hpp"

namespace fathom::launch {

/// Stores what the doctor finds on the hosts of a run's jobs. Returns what was not stored before.
std::vector<store::WarningRow> warn_of_hosts(store::Store& store, std::int64_t run);

}  // namespace fathom::launch
