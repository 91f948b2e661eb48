#pragma once

#include <optional>
#include <string>

#include "analysis/overlap/overlap.hpp"
#include "report/style.hpp"

namespace fathom::report {

/// All that is known of one point of a study: the curve of a message, the test intervals and ranks of a
/// collective.
std::string overlap_point_text(const analysis::OverlapResult& overlap, const Terminal& terminal);

// Cells of tables; `-` for what is not known.
std::string time_cell(const std::optional<analysis::Reduced>& time_ns);
std::string time_interval_cell(const std::optional<analysis::Reduced>& time_ns);
std::string share_cell(const std::optional<analysis::Reduced>& share);
std::string share_interval_cell(const std::optional<analysis::Reduced>& share);
/// `15.4 +- 0.8 %`
std::string percent_cell(const std::optional<analysis::Reduced>& share);
std::string per_byte_cell(const std::optional<analysis::Reduced>& ns_per_byte);
/// `9 (every 8 KiB)`, `4`
std::string tests_cell(const analysis::SchemesOverlap& with_tests);

}  // namespace fathom::report
