#pragma once

#include <cstdio>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "analysis/across_runs/merging.hpp"
#include "report/csv.hpp"
#include "report/style.hpp"

namespace fathom::report {

/// Why these runs should not be merged, as a sentence; empty if they measured the same.
std::string merging_refusal(const analysis::Merging& merging);

/// Several runs merged, as text.
std::string merging_text(const analysis::Merging& merging, const Terminal& terminal);

/// The same as `fathom.merge/1`.
nlohmann::ordered_json merging_json(const analysis::Merging& merging);

/// One row per point.
void write_merging_csv(std::FILE* out, const analysis::Merging& merging, CsvTexts texts = CsvTexts::safe);

}  // namespace fathom::report
