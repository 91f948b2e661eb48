#include "probe/ops/data.hpp"

#include <fmt/format.h>

namespace fathom::probe {
namespace {

std::byte pattern_byte(std::uint64_t seed, std::size_t index) {
    return static_cast<std::byte>(mixed(seed, index / 8) >> (8 * (index % 8)) & 0xffU);
}

}  // namespace

void fill_pattern(std::span<std::byte> bytes, std::uint64_t seed) {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = pattern_byte(seed, i);
    }
}

void fill_wrong(std::span<std::byte> bytes, std::uint64_t seed) {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = ~pattern_byte(seed, i);
    }
}

std::string compare_pattern(std::span<const std::byte> bytes, std::uint64_t seed) {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const auto expected = pattern_byte(seed, i);
        if (bytes[i] != expected) {
            return fmt::format("byte {} is {:#04x}, expected {:#04x}", i, static_cast<unsigned>(bytes[i]),
                               static_cast<unsigned>(expected));
        }
    }
    return {};
}

Summands::Summands(std::uint64_t seed, int procs) : seed_(seed) {
    constexpr std::int64_t whole_cycle = cycle * (cycle - 1) / 2;
    const auto ranks = static_cast<unsigned>(procs);
    for (unsigned phase = 0; phase < cycle; ++phase) {
        sums_[phase] = whole_cycle * (ranks / cycle);
        for (unsigned rank = 0; rank < ranks % cycle; ++rank) {
            sums_[phase] += (phase + rank) % cycle;
        }
    }
}

}  // namespace fathom::probe
