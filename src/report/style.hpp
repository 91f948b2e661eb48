#pragma once

#include <string>
#include <string_view>

namespace fathom::report {

/// What the stream behind a descriptor can show.
struct Terminal {
    bool interactive = false;  ///< a terminal that can move the cursor
    bool colour = false;
    bool utf8 = false;
    int columns = 80;
    int table_columns = 0;  ///< that a table may have; 0: as many as it needs

    /// Honours NO_COLOR, TERM=dumb, COLUMNS and the locale. What is no terminal gets whole tables unless
    /// COLUMNS says how wide they may be; `wide` ones are whole everywhere.
    static Terminal of(int descriptor, bool wide = false);
};

/// Text within a line, made printable (base/printable.hpp) and painted where there is colour.
std::string bold(std::string_view text, const Terminal& terminal);
std::string yellow(std::string_view text, const Terminal& terminal);
std::string red(std::string_view text, const Terminal& terminal);
std::string green(std::string_view text, const Terminal& terminal);
/// For what is unreliable.
std::string dim(std::string_view text, const Terminal& terminal);

enum class Ink { plain, yellow, red, green, bold, dim };
std::string inked(std::string_view text, Ink ink, const Terminal& terminal);

}  // namespace fathom::report
