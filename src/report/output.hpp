#pragma once

#include <cstdio>
#include <string_view>
#include <utility>

#include <fmt/format.h>

/// The gate to the terminal: what people read is printed by these functions alone, which
/// `tests/structure/test_output.py` checks. Names and reasons within a line go through printable() where the
/// line is made; what that was forgotten for cannot do more than begin a line here.
namespace fathom::report {

/// Writes text of whole lines without control and bidirectional characters; colours stay where the stream
/// has them, and a terminal that shows UTF-8 gets the sign of microseconds.
void write_text(std::FILE* out, std::string_view text);

/// As fmt::print does, through the gate.
template <typename... Values>
void print(std::FILE* out, fmt::format_string<Values...> format, Values&&... values) {
    write_text(out, fmt::format(format, std::forward<Values>(values)...));
}
template <typename... Values>
void print(fmt::format_string<Values...> format, Values&&... values) {
    write_text(stdout, fmt::format(format, std::forward<Values>(values)...));
}

}  // namespace fathom::report
