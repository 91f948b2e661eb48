#pragma once

#include <cstdio>
#include <string>

#include "analysis/run/run_result.hpp"
#include "store/store.hpp"

namespace fathom::report {

/// A text as a cell: quoted where a reader would need it (RFC 4180).
std::string csv_cell(const std::string& text);

/// One row per point.
void write_points_csv(std::FILE* out, const analysis::RunResult& result);

/// One row per sample of every rank, streamed from the store. Durations are on the same footing as the
/// medians: half of the round trip for a pair.
void write_samples_csv(std::FILE* out, const store::Store& store, const store::RunRow& run);

/// One row per repetition of every rank in overlap studies, streamed from the store; times exclude the cost
/// of reading the clock.
void write_steps_csv(std::FILE* out, const store::Store& store, const store::RunRow& run);

}  // namespace fathom::report
