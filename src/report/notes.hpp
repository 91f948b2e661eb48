#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/run/run_result.hpp"

namespace fathom::report {

/// A note for the reader of a run.
struct Note {
    std::string text;                            ///< a sentence
    std::string fix;                             ///< what to do about it, where that is known
    std::vector<std::string> consequences = {};  ///< what else was found and follows from it
};

/// The notes on a run, those that cost the reader most first: failed points, what makes times doubtful, what
/// the analyses found by the factor it costs, and what limits single points. Points with the same warning
/// share a note.
std::vector<Note> notes_of(const analysis::RunResult& result);

/// What a comparison with the other points of a run says about one: what makes it slower at or below
/// its size (switches), anomalies, guidelines.
std::vector<std::string> sentences_on(const analysis::RunResult& result, const plan::PointKey& key);

/// How many notes a terminal shows by default: what fits below a table without scrolling.
inline constexpr std::size_t most_notes = 7;

/// The notes as a numbered list under a heading; nothing if there are none. `most` are shown, and a line says
/// how to see the rest.
std::string notes_text(const analysis::RunResult& result, std::size_t most);

}  // namespace fathom::report
