#pragma once

#include <cstdio>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "analysis/across_runs/merging.hpp"
#include "report/style.hpp"

namespace fathom::report {

/// Several runs merged, as text.
std::string merging_text(const analysis::Merging& merging, const Terminal& terminal);

/// The same as `fathom.merge/1`.
nlohmann::ordered_json merging_json(const analysis::Merging& merging);

/// One row per point.
void write_merging_csv(std::FILE* out, const analysis::Merging& merging);

}  // namespace fathom::report
