#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "base/units.hpp"
#include "tune/search/race.hpp"

namespace fathom::tune {

/// What a gain must be to be worth a rule: above what launches of one job were seen to differ by, and
/// certain.
inline constexpr double least_gain = 1.03;

/// A range of sizes where another way than the first is worth using. Both ends were measured.
struct Proposal {
    std::size_t way = 0;
    Bytes first;
    Bytes last;
    std::vector<BestWay> sizes = {};  ///< what was measured in the range
    double least_gain = 1;            ///< over them
    double most_gain = 1;
};

/// What a race proposes, by size, among the ways for which `usable` holds; all without it. A way is proposed
/// for a size if it is certainly faster there and by `least_gain`, and if a neighbouring size agrees: the
/// same way is proposed for it, or is not slower than the first there, by one job or by far. A size between
/// two of the same way that says nothing against it is theirs too.
std::vector<Proposal> proposals(const RaceResult& found,
                                const std::function<bool(std::size_t way)>& usable = {});

/// Takes a size out of what is proposed: ranges end before it and begin behind it.
void take_out(std::vector<Proposal>& proposals, Bytes size);

}  // namespace fathom::tune
