#include "base/text.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "base/error.hpp"

namespace fathom {
namespace {

constexpr std::string_view blanks = " \t\r\n";

/// Edits (insert, delete, replace, swap of neighbours) that turn one word into the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    const std::size_t width = b.size() + 1;
    std::vector<std::size_t> before_last(width);
    std::vector<std::size_t> last(width);
    std::vector<std::size_t> row(width);
    std::iota(last.begin(), last.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j < width; ++j) {
            const std::size_t replace = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, replace});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = std::min(row[j], before_last[j - 2] + 1);
            }
        }
        before_last.swap(last);
        last.swap(row);
    }
    return last[b.size()];
}

}  // namespace

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates) {
    std::optional<std::string> best;
    // If more than a third of the letters differ, it is another word, not a misspelling.
    std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
    for (const auto& candidate : candidates) {
        const auto distance = edit_distance(word, candidate);
        if (distance < best_distance) {
            best_distance = distance;
            best = candidate;
        }
    }
    return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
    const auto guess = nearest(word, candidates);
    return guess ? fmt::format(" Did you mean '{}'?", *guess) : std::string();
}

std::string trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) {
        return {};
    }
    return std::string(text.substr(first, text.find_last_not_of(blanks) - first + 1));
}

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    if (text.empty()) {
        return parts;
    }
    std::size_t begin = 0;
    while (true) {
        const auto end = text.find(separator, begin);
        if (end == std::string_view::npos) {
            parts.push_back(trimmed(text.substr(begin)));
            return parts;
        }
        parts.push_back(trimmed(text.substr(begin, end - begin)));
        begin = end + 1;
    }
}

std::vector<std::string> shell_words(std::string_view text) {
    std::vector<std::string> words;
    std::string word;
    bool in_word = false;
    char quote = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char letter = text[at];
        if (quote != 0) {
            if (letter == quote) {
                quote = 0;
            } else if (letter == '\\' && quote == '"' && at + 1 < text.size() &&
                       std::string_view("$`\"\\\n").find(text[at + 1]) != std::string_view::npos) {
                word += text[++at];
            } else {
                word += letter;
            }
        } else if (letter == '\'' || letter == '"') {
            quote = letter;
            in_word = true;
        } else if (letter == '\\' && at + 1 < text.size()) {
            word += text[++at];
            in_word = true;
        } else if (blanks.find(letter) != std::string_view::npos) {
            if (in_word) {
                words.push_back(std::move(word));
                word.clear();
                in_word = false;
            }
        } else {
            word += letter;
            in_word = true;
        }
    }
    if (quote != 0) {
        throw BadInput(fmt::format("unmatched quote ({}) in: {}", quote, text));
    }
    if (in_word) {
        words.push_back(std::move(word));
    }
    return words;
}

std::string shell_text(const std::vector<std::string>& words) {
    constexpr std::string_view plain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
    std::string text;
    for (const auto& word : words) {
        if (!text.empty()) {
            text += ' ';
        }
        if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) {
            text += word;
            continue;
        }
        text += '\'';
        for (const char letter : word) {
            if (letter == '\'') {
                text += "'\\''";
            } else {
                text += letter;
            }
        }
        text += '\'';
    }
    return text;
}

std::string and_list(const std::vector<std::string>& words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0) {
            text += i + 1 == words.size() ? " and " : ", ";
        }
        text += words[i];
    }
    return text;
}

}  // namespace fathom
