#pragma once

#include <string>

#include "analysis/point/point_result.hpp"

namespace fathom::report {

/// `0.93 (0.91 .. 0.94)`, `-0.02 (-0.05 .. 0.03), not distinguishable from none`
std::string share_text(const stats::Reduced& share);
/// `1.20 us (1.10 .. 1.31 us)`
std::string figure_text(const stats::Reduced& time_ns);

/// Why figures are missing or what they are relative to, without its full stop.
std::string sentence(const analysis::OverlapReason& reason);

/// Whether communication progresses by itself, with numbers and without its full stop, or why that is
/// undecided; empty if nothing is known.
std::string progress_sentence(const analysis::PointResult& point);

}  // namespace fathom::report
