#pragma once

#include <string>
#include <string_view>

namespace fathom::report {

/// What the stream behind a descriptor can show.
struct Terminal {
    bool interactive = false;  ///< a terminal that can move the cursor
    bool colour = false;
    int columns = 80;

    /// Honours NO_COLOR and TERM=dumb.
    static Terminal of(int descriptor);
};

/// Text within a line, made printable (base/printable.hpp) and painted where there is colour.
std::string bold(std::string_view text, const Terminal& terminal);
std::string yellow(std::string_view text, const Terminal& terminal);
std::string red(std::string_view text, const Terminal& terminal);

enum class Ink { plain, yellow, red };
std::string inked(std::string_view text, Ink ink, const Terminal& terminal);

}  // namespace fathom::report
