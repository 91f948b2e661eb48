#pragma once

#include <map>
#include <string>

#include "analysis/run/run_result.hpp"
#include "report/notes.hpp"
#include "report/style.hpp"

namespace fathom::report {

/// `rev=3f2a, switch=new`
std::string tags_text(const std::map<std::string, std::string>& tags);

/// A run as text: what it was, its table, and at most this many notes.
std::string run_text(const store::Store& store, const analysis::RunResult& result, const Terminal& terminal,
                     std::size_t most = most_notes);

}  // namespace fathom::report
