#pragma once

#include <cstdint>
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

/// The pattern of a matrix of which no host is in two pairs of a round. In any other, all ranks meet in every
/// round.
inline constexpr std::string_view pair_per_host = "pair-per-host";

/// A round-robin tournament of n ranks: rounds in which every pair meets once and nobody is in two.
int tournament_rounds(int procs);
/// Whom a rank meets in a round; nobody if it is left over.
int tournament_partner(int procs, int round, int rank);

/// Rounds in which every pair of ranks meets once and no rank is in two pairs at a time. If contended, there
/// is no other restriction. Otherwise no host is in two pairs of a round either, so that every pair has the
/// network of its hosts, and the memory of its host, to itself: hosts meet in a tournament, in which each
/// meeting takes as long as that of the two largest, and pairs within hosts come last, one per host at a
/// time.
class PairSchedule {
  public:
    /// The host of each rank, numbered as by host_numbers; where it is contended, only how many there are
    /// counts.
    PairSchedule(std::vector<int> hosts, bool contended);
    /// Contended, of ranks whose hosts need not be known.
    static PairSchedule contended(int procs);

    /// At least one.
    [[nodiscard]] std::int64_t rounds() const { return rounds_; }
    /// Whom a rank meets in a round; nobody if it is left over, or not there.
    [[nodiscard]] int partner(std::int64_t round, int rank) const;

  private:
    [[nodiscard]] int partner_between(std::int64_t round, int rank) const;
    [[nodiscard]] int partner_within(std::int64_t round, int rank) const;

    explicit PairSchedule(int procs);

    std::vector<int> hosts_;  ///< by rank; empty where it is contended
    int procs_;
    bool contended_ = false;
    std::int64_t rounds_ = 1;
    std::vector<std::vector<int>> members_;  ///< ranks of each host
    std::vector<std::int64_t> begins_;       ///< of the meetings of hosts; then of the pairs within them
};

}  // namespace fathom::plan
