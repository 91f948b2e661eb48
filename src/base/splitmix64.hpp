#pragma once

#include <cstdint>

namespace fathom {

/// A well-mixed 64-bit value of two numbers (the finaliser of SplitMix64), the same everywhere.
constexpr std::uint64_t splitmix64(std::uint64_t seed, std::uint64_t index) {
    std::uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

}  // namespace fathom
