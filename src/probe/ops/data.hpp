#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

/// Message contents that every rank can predict, so that a data check is exact.
namespace fathom::probe {

/// A well-mixed 64-bit value of two numbers (the finaliser of SplitMix64).
constexpr std::uint64_t mixed(std::uint64_t seed, std::uint64_t index) {
    std::uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

/// Fills with the bytes of a stream that `seed` names.
void fill_pattern(std::span<std::byte> bytes, std::uint64_t seed);

/// Fills with bytes that differ from the pattern at every place.
void fill_wrong(std::span<std::byte> bytes, std::uint64_t seed);

/// Empty if the bytes are the pattern, else where they first are not.
std::string compare_pattern(std::span<const std::byte> bytes, std::uint64_t seed);

/// Summands whose sum over ranks is a small whole number known in closed form: rank r adds (h(i) + r) mod 16.
class Summands {
  public:
    Summands(std::uint64_t seed, int procs);

    [[nodiscard]] int of_rank(int rank, std::uint64_t index) const {
        return static_cast<int>((phase(index) + static_cast<unsigned>(rank)) % cycle);
    }
    [[nodiscard]] std::int64_t sum(std::uint64_t index) const { return sums_[phase(index)]; }

  private:
    static constexpr unsigned cycle = 16;
    [[nodiscard]] unsigned phase(std::uint64_t index) const {
        return static_cast<unsigned>(mixed(seed_, index) % cycle);
    }

    std::uint64_t seed_;
    std::array<std::int64_t, cycle> sums_{};
};

}  // namespace fathom::probe
