#include "probe/ops/data.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace fathom::probe {
namespace {

constexpr std::size_t word = sizeof(std::uint64_t);

/// Writes the pattern, each bit exchanged where `flip` has one. Whole words by copies of a fixed size, which
/// compile to one store: messages may be large.
void fill(std::span<std::byte> bytes, std::uint64_t seed, std::uint64_t flip) {
    const std::size_t whole = bytes.size() / word;
    for (std::size_t i = 0; i < whole; ++i) {
        const std::uint64_t value = splitmix64(seed, i) ^ flip;
        std::memcpy(bytes.data() + i * word, &value, word);
    }
    if (const auto rest = bytes.last(bytes.size() % word); !rest.empty()) {
        const std::uint64_t value = splitmix64(seed, whole) ^ flip;
        std::memcpy(rest.data(), &value, rest.size());
    }
}

/// How many words from the first on are those of the pattern.
std::size_t right_words(std::span<const std::byte> bytes, std::uint64_t seed) {
    const std::size_t whole = bytes.size() / word;
    for (std::size_t i = 0; i < whole; ++i) {
        std::uint64_t found = 0;
        std::memcpy(&found, bytes.data() + i * word, word);
        if (found != splitmix64(seed, i)) {
            return i;
        }
    }
    return whole;
}

}  // namespace

void fill_pattern(std::span<std::byte> bytes, std::uint64_t seed) {
    fill(bytes, seed, 0);
}

void fill_wrong(std::span<std::byte> bytes, std::uint64_t seed) {
    fill(bytes, seed, ~std::uint64_t{0});
}

std::string compare_pattern(std::span<const std::byte> bytes, std::uint64_t seed) {
    const std::size_t first = right_words(bytes, seed) * word;
    const std::uint64_t value = splitmix64(seed, first / word);
    std::array<unsigned char, word> expected{};
    std::memcpy(expected.data(), &value, word);
    for (std::size_t at = first; at < std::min(bytes.size(), first + word); ++at) {
        if (static_cast<unsigned char>(bytes[at]) != expected[at - first]) {
            return fmt::format("byte {} is {:#04x}, expected {:#04x}", at, static_cast<unsigned>(bytes[at]),
                               expected[at - first]);
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

std::string Factor::text() const {
    return fmt::format("[{} {}; {} {}]", cells[0], cells[1], cells[2], cells[3]);
}

Factors::Factors(std::uint64_t seed, int procs) : seed_(seed) {
    for (unsigned phase = 0; phase < cycle; ++phase) {
        for (unsigned rank = 0; rank < static_cast<unsigned>(procs); ++rank) {
            products_[phase] = products_[phase] * matrix(phase + rank);
        }
    }
}

/// With a = 1 to 16: [1 a; a a^2+1]. Its determinant is 1, and two commute only if their a are equal.
Factor Factors::matrix(unsigned number) {
    const unsigned a = number % cycle + 1;
    const unsigned last = (a * a + 1) % Factor::prime;
    const auto cell = [](unsigned value) { return static_cast<unsigned char>(value); };
    return {{cell(1), cell(a), cell(a), cell(last)}};
}

}  // namespace fathom::probe
