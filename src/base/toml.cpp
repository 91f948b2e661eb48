#include "base/toml.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/error.hpp"

namespace fathom {
namespace {

/// The end of what begins at a quote; the end of the text if it is left open.
std::size_t end_of_string(std::string_view text, std::size_t begin) {
    const char quote = text[begin];
    const std::string several(3, quote);
    const bool lines = text.substr(begin).starts_with(several);
    const std::string_view closing =
        lines ? std::string_view(several) : std::string_view(several).substr(0, 1);
    for (auto at = begin + closing.size(); at < text.size(); ++at) {
        if (text[at] == '\\' && quote == '"') {
            ++at;
        } else if (text.substr(at).starts_with(closing)) {
            return at + closing.size();
        } else if (text[at] == '\n' && !lines) {
            return at;  // malformed, as the parser will say
        }
    }
    return text.size();
}

/// The parser recurses into the parts of dotted keys when it frees them: nobody writes keys with as many as
/// would exhaust the stack. (Nested values it limits itself.)
void refuse_deep_keys(std::string_view text, const std::string& source) {
    constexpr int most_parts = 32;
    int dots = 0;  // since something that is no part of a key
    std::ptrdiff_t line = 1;
    for (std::size_t at = 0; at < text.size();) {
        const char letter = text[at];
        const auto begin = at;
        if (letter == '"' || letter == '\'') {
            at = end_of_string(text, at);
        } else if (letter == '#') {
            at = std::min(text.find('\n', at), text.size());
        } else {
            ++at;
            const bool in_key = std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' ||
                                letter == '-' || letter == ' ' || letter == '\t';
            dots = letter == '.' ? dots + 1 : in_key ? dots : 0;
        }
        if (dots >= most_parts) {
            throw BadInput(fmt::format("{}:{}: a key has more than {} parts.", source, line, most_parts));
        }
        line += std::count(text.begin() + static_cast<std::ptrdiff_t>(begin),
                           text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    }
}

}  // namespace

toml::table parse_toml(std::string_view text, const std::string& source) {
    refuse_deep_keys(text, source);
    try {
        return toml::parse(text, source);
    } catch (const toml::parse_error& error) {
        throw BadInput(fmt::format("{}: {}.", place_in(source, error.source()), error.description()));
    }
}

std::string place_in(const std::string& source, const toml::source_region& region) {
    return region.begin.line > 0 ? fmt::format("{}:{}", source, region.begin.line) : source;
}

}  // namespace fathom
