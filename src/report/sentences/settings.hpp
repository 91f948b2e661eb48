#pragma once

#include <string>

#include "analysis/run/setting_comparison.hpp"

namespace fathom::report {

/// `allreduce, 16 KiB, 2 processes: btl_vader_eager_limit=32768 is 1.31 times faster than 4096`, of settings
/// that were measured; without its full stop.
std::string sentence(const analysis::SettingComparison& comparison);

/// Which one is best, for a table: `32768 (p = 0.002)`, `no difference`.
std::string conclusion(const analysis::SettingComparison& comparison);

}  // namespace fathom::report
