#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"

namespace fathom::journal {

/// One timed repetition on one rank.
struct Sample {
    Nanoseconds start;     ///< on the clock of the rank
    Nanoseconds duration;  ///< of the whole repetition
    bool valid = true;     ///< false: kept, but not used

    friend bool operator==(const Sample&, const Sample&) = default;
};

/// Packs samples without loss: differences of neighbours as short integers, then zstd.
std::string pack_samples(std::span<const Sample> samples);

/// The samples of a packed block. Throws Error if the block is damaged or does not hold `count` samples.
std::vector<Sample> unpack_samples(std::string_view packed, std::int64_t count);

}  // namespace fathom::journal
