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

/// One repetition of a study of overlap on one rank. What was not timed by itself is 0: of a repetition that
/// is timed as one, all parts.
struct StudySample {
    int step = 0;       ///< StudyStep::step
    int round = 0;      ///< in which buffers were somewhere else in memory, from 0
    Nanoseconds start;  ///< on the clock of the rank
    Nanoseconds whole;
    Nanoseconds post;
    Nanoseconds tests;  ///< sum of all
    Nanoseconds wait;
    std::int64_t tests_made = 0;  ///< until the communication had ended
    bool valid = true;

    friend bool operator==(const StudySample&, const StudySample&) = default;
};

/// The same for samples of a study.
std::string pack_study(std::span<const StudySample> samples);
std::vector<StudySample> unpack_study(std::string_view packed, std::int64_t count);

}  // namespace fathom::journal
