#pragma once

#include <string>
#include <string_view>

namespace fathom::report {

/// A text on lines of at most 80 columns, each indented by two. A word that is longer stands alone.
/// Words are made printable.
std::string paragraph(std::string_view text);

}  // namespace fathom::report
