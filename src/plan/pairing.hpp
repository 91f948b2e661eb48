#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Who communicates with whom.
namespace fathom::plan {

/// Partner of a rank that has none.
inline constexpr int nobody = -1;

/// `2-5` as two different ranks, in this order. Throws BadInput that says what to give.
std::pair<int, int> parse_pair(std::string_view text);

/// Whether every process from 0 to twice the number of pairs is in exactly one of them. Throws BadInput that
/// says which is not.
void check_pairs(std::span<const std::string> pairs);

/// Pairs from a file, two process numbers per line, as `A-B`. Throws BadInput with the line at fault.
std::vector<std::string> read_pairs(std::string_view text, const std::string& source);

/// Hosts of ranks as numbers, in the order in which they appear.
template <typename Hosts>
std::vector<int> host_numbers(const Hosts& hosts) {
    std::map<typename Hosts::value_type, int> numbers;
    std::vector<int> found;
    for (const auto& host : hosts) {
        found.push_back(numbers.try_emplace(host, static_cast<int>(numbers.size())).first->second);
    }
    return found;
}

/// A pairing of all ranks: the partner of each.
struct Pairing {
    std::vector<int> partner;  ///< nobody for the one left over if the number of ranks is odd
    std::vector<bool> leads;   ///< sends first
};

/// The requested pairs, or p with p + n/2; other partners where those would be on one host and need
/// not be. Ranks on one host have the same number in `hosts`.
Pairing pairing_of(std::span<const std::string> pairs, std::span<const int> hosts);

/// A round-robin tournament of n ranks: rounds in which every pair meets once and nobody is in two.
int tournament_rounds(int procs);
/// Whom a rank meets in a round; nobody if it is left over.
int tournament_partner(int procs, int round, int rank);

}  // namespace fathom::plan
