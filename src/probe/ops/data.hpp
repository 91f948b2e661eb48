#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/splitmix64.hpp"

/// Message contents that every rank can predict, so that a data check is exact.
namespace fathom::probe {

/// Fills with the bytes of a stream that `seed` names.
void fill_pattern(std::span<std::byte> bytes, std::uint64_t seed);

/// Fills with bytes that differ from the pattern at every place.
void fill_wrong(std::span<std::byte> bytes, std::uint64_t seed);

/// Empty if the bytes are the pattern, else where they first are not.
std::string compare_pattern(std::span<const std::byte> bytes, std::uint64_t seed);

/// Whether two values are the same to the bit: -0 is not 0.
template <typename Value>
bool same_bits(const Value& a, const Value& b) {
    using Bits = std::array<std::byte, sizeof(Value)>;
    return std::bit_cast<Bits>(a) == std::bit_cast<Bits>(b);
}

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
        return static_cast<unsigned>(splitmix64(seed_, index) % cycle);
    }

    std::uint64_t seed_;
    std::array<std::int64_t, cycle> sums_{};
};

/// Values of ranks whose reduction by some operation is known: rank r has the value of (h(i) + r) mod 16.
template <typename Number>
class Reducible {
  public:
    using Value = Number (*)(unsigned number);
    using Combine = Number (*)(Number a, Number b);

    Reducible(std::uint64_t seed, int procs, Value value, Combine combine) : seed_(seed), value_(value) {
        for (unsigned phase = 0; phase < cycle; ++phase) {
            results_[phase] = value(phase);
            for (unsigned rank = 1; rank < static_cast<unsigned>(procs); ++rank) {
                results_[phase] = combine(results_[phase], value((phase + rank) % cycle));
            }
        }
    }

    [[nodiscard]] Number of_rank(int rank, std::uint64_t index) const {
        return value_((phase(index) + static_cast<unsigned>(rank)) % cycle);
    }
    [[nodiscard]] Number result(std::uint64_t index) const { return results_[phase(index)]; }

    static constexpr unsigned cycle = 16;

  private:
    [[nodiscard]] unsigned phase(std::uint64_t index) const {
        return static_cast<unsigned>(splitmix64(seed_, index) % cycle);
    }

    std::uint64_t seed_;
    Value value_;
    std::array<Number, cycle> results_{};
};

/// A factor of products that depend on the order of their factors: a matrix of two rows and columns, modulo
/// a prime.
struct Factor {
    static constexpr int prime = 251;
    std::array<unsigned char, 4> cells{1, 0, 0, 1};  ///< row by row

    friend constexpr bool operator==(const Factor&, const Factor&) = default;
    friend constexpr Factor operator*(const Factor& a, const Factor& b) {
        Factor product;
        for (std::size_t i = 0; i < product.cells.size(); ++i) {
            const auto row = i / 2 * 2;
            const auto column = i % 2;
            product.cells[i] = static_cast<unsigned char>(
                (a.cells[row] * b.cells[column] + a.cells[row + 1] * b.cells[column + 2]) % prime);
        }
        return product;
    }
    /// `[1 2; 3 4]`
    [[nodiscard]] std::string text() const;
};

/// Factors whose product over ranks, in their order, is known: rank r has the matrix of (h(i) + r) mod 16. No
/// two different ones commute, and all have an inverse, so that exchanged ranks always show.
class Factors {
  public:
    Factors(std::uint64_t seed, int procs);

    [[nodiscard]] static Factor matrix(unsigned number);
    [[nodiscard]] Factor of_rank(int rank, std::uint64_t index) const {
        return matrix(phase(index) + static_cast<unsigned>(rank));
    }
    [[nodiscard]] Factor product(std::uint64_t index) const { return products_[phase(index)]; }

  private:
    static constexpr unsigned cycle = 16;
    [[nodiscard]] unsigned phase(std::uint64_t index) const {
        return static_cast<unsigned>(splitmix64(seed_, index) % cycle);
    }

    std::uint64_t seed_;
    std::array<Factor, cycle> products_{};
};

}  // namespace fathom::probe
