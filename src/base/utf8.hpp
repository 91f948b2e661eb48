#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fathom {

/// A character of a text, or a byte that is none.
struct Character {
    char32_t code = 0;
    std::size_t bytes = 1;
    bool valid = true;
};

/// The first of a text that is not empty. Overlong forms, surrogates and numbers beyond U+10FFFF are not
/// valid.
Character first_character(std::string_view text);

/// The text with every byte that is no part of valid UTF-8 replaced by U+FFFD.
std::string valid_utf8(std::string text);

}  // namespace fathom
