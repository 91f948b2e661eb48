#pragma once

#include <cstdio>
#include <string>

#include "analysis/run/run_result.hpp"
#include "store/store.hpp"

namespace fathom::report {

/// How texts stand in cells: so that neither a spreadsheet nor a terminal obeys them, or as they are.
enum class CsvTexts { safe, raw };

inline constexpr const char* csv_raw_help =
    "with --csv: texts as they are, also those that a spreadsheet would take for formulas";

/// A text as a cell: quoted where a reader would need it (RFC 4180). A safe one is printable, and has a `'`
/// before it if it begins as a formula does (with = + - @) and is not a number.
std::string csv_cell(const std::string& text, CsvTexts texts = CsvTexts::safe);

struct CsvForm {
    CsvTexts texts = CsvTexts::safe;
    bool titles = true;  ///< a line with the names of the columns first
};

/// One row per point.
void write_points_csv(std::FILE* out, const analysis::RunResult& result, CsvForm form = {});

/// One row per sample of every rank, streamed from the store. Durations are on the same footing as the
/// medians: half of the round trip for a pair.
void write_samples_csv(std::FILE* out, const store::Store& store, const store::RunRow& run,
                       CsvForm form = {});

/// One row per repetition of every rank in overlap studies, streamed from the store; times exclude the cost
/// of reading the clock.
void write_steps_csv(std::FILE* out, const store::Store& store, const store::RunRow& run, CsvForm form = {});

}  // namespace fathom::report
