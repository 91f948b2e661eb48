#pragma once

#include <cstdint>
#include <random>

#include "clock/link.hpp"

namespace fathom::clock {

inline constexpr std::int64_t second = 1'000'000'000;

/// Uniform, both ends included.
inline std::int64_t between(std::mt19937_64& random, std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

/// An offset known at one moment within the same bound on both sides.
inline Link link(std::int64_t at, std::int64_t offset, std::int64_t bound) {
    return {.at = {at}, .offset = {offset}, .low = {offset - bound}, .high = {offset + bound}};
}

}  // namespace fathom::clock
