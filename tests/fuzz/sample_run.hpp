#pragma once

#include <string>
#include <vector>

#include "journal/journal.hpp"

namespace fathom::fuzzing {

/// The journal of a probe that was started by hand: all kinds of records, two points with ordinary samples
/// and two studies of overlap.
std::vector<journal::Record> sample_journal();

/// A small result file with a row in every table, as bytes.
std::string sample_file();

}  // namespace fathom::fuzzing
