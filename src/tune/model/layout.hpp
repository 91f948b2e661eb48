#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// Cost models of collective algorithms: schedules of messages, and what these cost on a network.
namespace fathom::tune {

/// The most ranks that a model is made for: a million, as people say it.
inline constexpr int most_modelled_ranks = 1 << 20;

/// Which host each rank is on.
class Layout {
  public:
    /// One rank on each host.
    static Layout flat(int procs) { return blocks(procs, procs); }
    /// Consecutive ranks share a host; where they do not divide, the first hosts have one more. Every host
    /// has a rank.
    static Layout blocks(int procs, int hosts);
    /// By the name of each rank's host.
    static Layout of(std::span<const std::string> hosts);

    [[nodiscard]] int procs() const { return procs_; }
    [[nodiscard]] int hosts() const { return hosts_; }
    [[nodiscard]] bool is_flat() const { return hosts_ == procs_; }
    /// Whether consecutive ranks share a host, as many on each but for one.
    [[nodiscard]] bool by_block() const { return host_.empty(); }
    [[nodiscard]] int host_of(int rank) const {
        if (!by_block()) {
            return host_[static_cast<std::size_t>(rank)];
        }
        const int in_larger = larger_ * (share_ + 1);
        return rank < in_larger ? rank / (share_ + 1) : larger_ + (rank - in_larger) / share_;
    }
    /// Ranks on the fullest host.
    [[nodiscard]] int most_on_a_host() const { return most_; }
    /// Ranks on the host of a rank.
    [[nodiscard]] int ranks_beside(int rank) const;
    /// The different numbers of ranks that hosts have.
    [[nodiscard]] const std::vector<int>& host_sizes() const { return host_sizes_; }

  private:
    int procs_ = 0;
    int hosts_ = 0;
    int share_ = 1;   ///< ranks on a host, by block
    int larger_ = 0;  ///< hosts with one more
    int most_ = 1;
    std::vector<int> host_;  ///< of each rank; empty: by block
    std::vector<int> ranks_on_;
    std::vector<int> host_sizes_;
};

}  // namespace fathom::tune
