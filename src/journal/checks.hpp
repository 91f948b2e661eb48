#pragma once

#include <string>

#include "journal/journal.hpp"

namespace fathom::journal {

/// What is wrong with a record that was read: the field whose value is beyond its limit (limits.hpp); empty
/// if nothing is. Packed blocks are checked when they are unpacked.
std::string wrong_with(const Record& record);

}  // namespace fathom::journal
