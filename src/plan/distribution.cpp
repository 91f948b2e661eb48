#include "plan/distribution.hpp"

#include <numeric>

#include <fmt/format.h>

#include "base/error.hpp"
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

std::vector<std::int64_t> shares(const std::string& distribution, std::int64_t total, int procs,
                                 std::uint64_t seed) {
    const auto count = static_cast<std::size_t>(procs);
    if (distribution == "equal" || (distribution == "one-heavy" && procs == 1)) {
        return equal_shares(total, count);
    }
    if (distribution == "one-heavy") {
        auto found = equal_shares(total / 2, count - 1);
        found.push_back(total - total / 2);
        return found;
    }
    std::vector<std::uint64_t> weights(count);
    if (distribution == "linear") {
        std::iota(weights.begin(), weights.end(), std::uint64_t{1});
    } else if (distribution == "random") {
        constexpr int upper_half = 32;
        for (std::size_t rank = 0; rank < count; ++rank) {
            weights[rank] = (splitmix64(seed, rank) >> upper_half) + 1;
        }
    } else {
        throw BadInput(
            fmt::format("no distribution '{}'; give equal, linear, one-heavy or random", distribution));
    }
    return weighted_shares(total, weights);
}

}  // namespace fathom::plan
