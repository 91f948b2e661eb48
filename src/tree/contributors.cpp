#include "tree/contributors.hpp"

#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace fathom::tree {
namespace {

bool is_digit(char letter) {
    return letter >= '0' && letter <= '9';
}

/// `3` or `0-3`; nothing for another text.
std::optional<std::pair<int, int>> range_from(std::string_view text) {
    const auto number = [](std::string_view digits) -> std::optional<int> {
        int value = -1;
        const auto* end = digits.data() + digits.size();
        const auto [rest, code] = std::from_chars(digits.data(), end, value);
        return code == std::errc() && rest == end && is_digit(digits.front()) ? std::optional(value)
                                                                              : std::nullopt;
    };
    const auto ends = split(text, '-');
    if (ends.empty() || ends.size() > 2) {
        return std::nullopt;
    }
    const auto first = number(ends.front());
    const auto last = number(ends.back());
    return first && last ? std::optional(std::pair(*first, *last)) : std::nullopt;
}

std::string range_text(int first, int last) {
    return first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
}

}  // namespace

bool names_ranks(std::string_view word) {
    return !word.empty() && (is_digit(word.front()) || word.front() == '-');
}

Contributors contributors_from(std::string_view word) {
    const auto colon = word.find(':');
    const auto ranks = range_from(trimmed(word.substr(0, colon)));
    const auto threads = colon == std::string_view::npos ? std::optional(std::pair(0, 0))
                                                         : range_from(trimmed(word.substr(colon + 1)));
    if (!ranks || !threads) {
        throw BadInput(
            fmt::format("'{}' is not a rank; give ranks such as 0 or 0-3, threads of a rank as 2:0-1", word));
    }
    if (ranks->first > ranks->second || threads->first > threads->second) {
        throw BadInput(fmt::format("'{}' runs backwards; give the smaller number first", word));
    }
    if (ranks->second >= most_leaves || threads->second >= most_leaves) {
        throw BadInput(fmt::format("'{}' is out of range; ranks and threads are numbered from 0 to {}", word,
                                   most_leaves - 1));
    }
    return {.first_rank = ranks->first,
            .last_rank = ranks->second,
            .first_thread = threads->first,
            .last_thread = threads->second};
}

std::vector<std::string> contributor_words(std::span<const Contributor> contributors) {
    std::vector<Contributors> pieces;
    for (const auto& [rank, thread] : contributors) {
        if (!pieces.empty() && pieces.back().last_rank == rank && pieces.back().last_thread + 1 == thread) {
            pieces.back().last_thread = thread;
        } else {
            pieces.push_back({rank, rank, thread, thread});
        }
    }
    std::vector<Contributors> merged;
    for (const auto& piece : pieces) {
        if (!merged.empty() && merged.back().last_rank + 1 == piece.first_rank &&
            merged.back().first_thread == piece.first_thread &&
            merged.back().last_thread == piece.last_thread) {
            merged.back().last_rank = piece.last_rank;
        } else {
            merged.push_back(piece);
        }
    }
    std::vector<std::string> words;
    for (const auto& part : merged) {
        auto word = range_text(part.first_rank, part.last_rank);
        if (part.first_thread != 0 || part.last_thread != 0) {
            word += ":" + range_text(part.first_thread, part.last_thread);
        }
        words.push_back(std::move(word));
    }
    return words;
}

std::string ranks_text(std::span<const int> ranks) {
    std::vector<Contributor> contributors;
    contributors.reserve(ranks.size());
    for (const int rank : ranks) {
        contributors.push_back({.rank = rank});
    }
    return fmt::format("{}", fmt::join(contributor_words(contributors), ","));
}

}  // namespace fathom::tree
