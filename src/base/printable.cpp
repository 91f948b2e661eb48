#include "base/printable.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/utf8.hpp"

namespace fathom {
namespace {

/// Whether a terminal obeys it, or shows nothing for it.
bool is_unsafe(char32_t code) {
    struct Range {
        char32_t first;
        char32_t last;
    };
    constexpr std::array unsafe{
        Range{0x00, 0x1f},      // C0
        Range{0x7f, 0x9f},      // DEL and C1
        Range{0x61c, 0x61c},    // Arabic letter mark, bidirectional
        Range{0x200b, 0x200b},  // zero-width space
        Range{0x200e, 0x200f},  // left-to-right and right-to-left marks
        Range{0x2028, 0x202e},  // separators of lines and paragraphs, bidirectional embeddings and overrides
        Range{0x2060, 0x206f},  // invisible operators, bidirectional isolates
        Range{0xfeff, 0xfeff},  // byte order mark
        Range{0xfff9, 0xfffb},  // annotations
        Range{0xe'0000, 0xe'007f}  // tags
    };
    return std::any_of(unsafe.begin(), unsafe.end(),
                       [&](const Range& range) { return code >= range.first && code <= range.last; });
}

std::string escape_of(const Character& character) {
    switch (character.code) {
        case U'\n':
            return "\\n";
        case U'\r':
            return "\\r";
        case U'\t':
            return "\\t";
        default:
            break;
    }
    const auto code = static_cast<unsigned>(character.code);
    return !character.valid || code < 0x80 ? fmt::format("\\x{:02x}", code)
           : code <= 0xffff                ? fmt::format("\\u{:04x}", code)
                                           : fmt::format("\\U{:08x}", code);
}

/// JSON knows no more than 16 bits in an escape: others are pairs of surrogates.
std::string json_escape_of(char32_t code) {
    const auto whole = static_cast<unsigned>(code);
    const auto above = whole - 0x1'0000;
    return whole <= 0xffff
               ? fmt::format("\\u{:04x}", whole)
               : fmt::format("\\u{:04x}\\u{:04x}", 0xd800 + (above >> 10U), 0xdc00 + (above & 0x3ffU));
}

/// How much of a text, from its beginning, is printable ASCII: nearly always all of a line.
std::size_t plain_part(std::string_view text) {
    const auto end = std::find_if_not(text.begin(), text.end(),
                                      [](char letter) { return letter >= ' ' && letter < 0x7f; });
    return static_cast<std::size_t>(end - text.begin());
}

/// The length of the colour that a text begins with; 0 if it does not.
std::size_t colour_at(std::string_view text) {
    for (const auto sequence :
         {bold_begins, dim_begins, red_begins, green_begins, yellow_begins, colour_ends}) {
        if (text.starts_with(sequence)) {
            return sequence.size();
        }
    }
    return 0;
}

}  // namespace

std::string printable(std::string_view text, std::size_t longest) {
    if (text.size() <= longest && plain_part(text) == text.size()) {
        return std::string(text);
    }
    constexpr std::string_view cut_mark = "...";
    std::string shown;
    std::size_t columns = 0;
    std::size_t cut = 0;  // what is shown up to here has room for the mark
    while (!text.empty()) {
        const auto character = first_character(text);
        const bool as_it_is = character.valid && !is_unsafe(character.code);
        const auto piece = as_it_is ? std::string(text.substr(0, character.bytes)) : escape_of(character);
        columns += as_it_is ? 1 : piece.size();
        if (columns > longest) {
            shown.resize(cut);
            return shown.append(cut_mark);
        }
        shown += piece;
        cut = columns + cut_mark.size() <= longest ? shown.size() : cut;
        text.remove_prefix(character.bytes);
    }
    return shown;
}

std::string printable_lines(std::string_view text, bool colours) {
    std::string shown;
    shown.reserve(text.size());
    while (!text.empty()) {
        auto bytes = std::max(plain_part(text), colours ? colour_at(text) : 0);
        if (bytes == 0) {
            const auto character = first_character(text);
            bytes = character.bytes;
            const bool layout = character.code == U'\n' || character.code == U'\t';
            if (!character.valid || (is_unsafe(character.code) && !layout)) {
                shown += escape_of(character);
                text.remove_prefix(bytes);
                continue;
            }
        }
        shown += text.substr(0, bytes);
        text.remove_prefix(bytes);
    }
    return shown;
}

std::string printable_json(std::string_view json) {
    std::string shown;
    shown.reserve(json.size());
    while (!json.empty()) {
        auto bytes = plain_part(json);
        if (bytes == 0) {
            const auto character = first_character(json);
            bytes = character.bytes;
            // Line feeds are those between fields: in a string they are escaped already.
            if (character.valid && is_unsafe(character.code) && character.code != U'\n') {
                shown += json_escape_of(character.code);
                json.remove_prefix(bytes);
                continue;
            }
        }
        shown += json.substr(0, bytes);
        json.remove_prefix(bytes);
    }
    return shown;
}

}  // namespace fathom
