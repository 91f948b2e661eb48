#include "plan/distribution.hpp"

#include <numeric>

#include "base/splitmix64.hpp"

namespace fathom::plan {
namespace {

using Shares = std::vector<std::int64_t>;
__extension__ using Wide = unsigned __int128;

Shares equal_shares(std::int64_t total, std::size_t procs) {
    const auto count = static_cast<std::int64_t>(procs);
    Shares found(procs, total / count);
    for (std::size_t rank = 0; rank < static_cast<std::size_t>(total % count); ++rank) {
        ++found[rank];
    }
    return found;
}

/// Proportional shares, rounded down: less than one for each process is left over, and goes to the last ones,
/// which keeps shares in the order of growing weights.
Shares weighted_shares(std::int64_t total, const std::vector<std::uint64_t>& weights) {
    const auto sum = std::accumulate(weights.begin(), weights.end(), Wide{0});
    Shares found;
    std::int64_t left = total;
    for (const auto weight : weights) {
        found.push_back(static_cast<std::int64_t>(static_cast<Wide>(total) * weight / sum));
        left -= found.back();
    }
    for (auto share = found.rbegin(); left > 0; ++share, --left) {
        ++*share;
    }
    return found;
}

}  // namespace

std::vector<std::int64_t> shares(Distribution distribution, std::int64_t total, int procs,
                                 std::uint64_t seed) {
    const auto count = static_cast<std::size_t>(procs);
    std::vector<std::uint64_t> weights(count);
    switch (distribution) {
        case Distribution::equal:
            return equal_shares(total, count);
        case Distribution::one_heavy: {
            if (procs == 1) {
                return {total};
            }
            auto found = equal_shares(total / 2, count - 1);
            found.push_back(total - total / 2);
            return found;
        }
        case Distribution::linear:
            std::iota(weights.begin(), weights.end(), std::uint64_t{1});
            break;
        case Distribution::random: {
            constexpr int upper_half = 32;
            for (std::size_t rank = 0; rank < count; ++rank) {
                weights[rank] = (splitmix64(seed, rank) >> upper_half) + 1;
            }
            break;
        }
    }
    return weighted_shares(total, weights);
}

}  // namespace fathom::plan
