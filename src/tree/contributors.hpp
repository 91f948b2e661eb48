#pragma once

#include <compare>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Ranks and their threads in words: `0-3`, `7`, `2:0-1` (threads 0 and 1 of rank 2).
namespace fathom::tree {

/// The most leaves of a tree: about as many ranks as the largest machines have run, and a range that a file
/// names cannot fill the memory of a host.
inline constexpr int most_leaves = 1 << 20;

/// Threads `first_thread` to `last_thread` of each of the ranks `first_rank` to `last_rank`.
struct Contributors {
    int first_rank = 0;
    int last_rank = 0;
    int first_thread = 0;
    int last_thread = 0;

    friend bool operator==(const Contributors&, const Contributors&) = default;
};

/// Whether a word names ranks, rightly or wrongly: names of joins begin with a letter.
bool names_ranks(std::string_view word);

/// Throws BadInput that quotes the word and says what to give.
Contributors contributors_from(std::string_view word);

/// One rank and thread.
struct Contributor {
    int rank = 0;
    int thread = 0;

    friend auto operator<=>(const Contributor&, const Contributor&) = default;
};

/// The shortest words for contributors, which are in rising order: `0-3`, `5:0-1`.
std::vector<std::string> contributor_words(std::span<const Contributor> contributors);

/// The same for ranks, in one text: `0-3,7`.
std::string ranks_text(std::span<const int> ranks);

}  // namespace fathom::tree
