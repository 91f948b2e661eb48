#include "base/utf8.hpp"

#include <array>

namespace fathom {

Character first_character(std::string_view text) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    const auto lead = byte(0);
    if (lead < 0x80) {
        return {.code = lead};
    }
    const Character none{.code = lead, .valid = false};
    const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) {
        return none;
    }
    char32_t code = lead & (0xffU >> (bytes + 1));
    for (std::size_t at = 1; at < bytes; ++at) {
        if ((byte(at) & 0xc0U) != 0x80) {
            return none;
        }
        code = code << 6U | (byte(at) & 0x3fU);
    }
    constexpr std::array<char32_t, 5> least{0, 0, 0x80, 0x800, 0x1'0000};
    const bool surrogate = code >= 0xd800 && code <= 0xdfff;
    return code < least.at(bytes) || code > 0x10'ffff || surrogate ? none
                                                                   : Character{.code = code, .bytes = bytes};
}

std::string valid_utf8(std::string text) {
    constexpr std::string_view replacement = "\xEF\xBF\xBD";
    const std::string_view all = text;
    std::string made;
    std::size_t copied = 0;  // up to here
    for (std::size_t at = 0; at < all.size();) {
        const auto character = first_character(all.substr(at));
        if (!character.valid) {
            made.append(all.substr(copied, at - copied)).append(replacement);
            copied = at + character.bytes;
        }
        at += character.bytes;
    }
    if (copied == 0) {
        return text;
    }
    return made.append(all.substr(copied));
}

}  // namespace fathom
