#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// Text from result files, plans, launchers and hosts is not trusted: a terminal obeys control characters,
/// and bidirectional ones make text read as something else than it is.
namespace fathom {

/// The most characters of a name that are shown (a label, a host, a cell of a table): more than the columns
/// of a wide terminal only tear the other rows apart. JSON has names whole.
inline constexpr std::size_t longest_name = 200;
/// The same of a sentence, such as an error: one screen of 25 lines of 80 columns.
inline constexpr std::size_t longest_message = 2'000;

/// Text as it may stand within a line on a terminal. Control characters (line feeds too), bidirectional and
/// invisible ones and bytes that are not UTF-8 are shown as escapes: `\n`, `\x1b`, `\u202e`. What is longer
/// than `longest` characters ends in `...`.
std::string printable(std::string_view text, std::size_t longest = longest_message);

inline std::string printable_name(std::string_view name) {
    return printable(name, longest_name);
}

/// The same of whole lines, of any length: line feeds and tabs stay, and `colours` keeps the sequences
/// that report/style.hpp makes.
std::string printable_lines(std::string_view text, bool colours);

/// The sequences that begin and end colours.
inline constexpr std::string_view bold_begins = "\x1b[1m";
inline constexpr std::string_view dim_begins = "\x1b[2m";
inline constexpr std::string_view red_begins = "\x1b[31m";
inline constexpr std::string_view green_begins = "\x1b[32m";
inline constexpr std::string_view yellow_begins = "\x1b[33m";
inline constexpr std::string_view colour_ends = "\x1b[0m";

/// A valid JSON text, the same data with these characters as JSON escapes.
std::string printable_json(std::string_view json);

}  // namespace fathom
