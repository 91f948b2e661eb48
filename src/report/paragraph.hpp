#pragma once

#include <string>
#include <string_view>

#include "report/style.hpp"

namespace fathom::report {

/// A text on lines of at most 80 columns, each indented by two. A word that is longer stands alone.
/// Words are made printable.
std::string paragraph(std::string_view text);

/// Lines of prose broken where the terminal ends; what follows begins below the first word, behind the number
/// of a list. As it is where tables may be as wide as they need.
std::string fitted(std::string_view text, const Terminal& terminal);

/// A line without blanks at its end.
std::string without_tail(std::string line);

}  // namespace fathom::report
