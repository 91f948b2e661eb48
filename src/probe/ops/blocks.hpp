#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/units.hpp"

namespace fathom::probe {

/// How the bytes of a message are laid out in memory, and with which MPI datatype.
enum class Shape {
    bytes,       ///< together, as bytes
    contiguous,  ///< together, as one element
    vector,      ///< even blocks at even distances
    indexed,     ///< uneven blocks at uneven distances
    record,      ///< members of a struct, with others between them that are not sent
};

struct Block {
    std::int64_t place = 0;  ///< bytes from the first of the message
    std::int64_t length = 0;
};

/// A cycle of blocks that is repeated every `stride` bytes.
struct BlockCycle {
    std::span<const Block> blocks;
    std::int64_t stride = 0;
};

inline constexpr std::array vector_blocks{Block{0, 8}};
inline constexpr std::array indexed_blocks{Block{0, 8}, Block{16, 24}, Block{44, 4}, Block{64, 12},
                                           Block{88, 16}};
/// A double, an int that stays here, and eight characters.
inline constexpr std::array record_blocks{Block{0, 8}, Block{12, 8}};

inline constexpr BlockCycle vector_cycle{vector_blocks, 16};
inline constexpr BlockCycle indexed_cycle{indexed_blocks, 128};
inline constexpr BlockCycle record_cycle{record_blocks, 24};

/// Where the bytes of a message of a shape lie: cycles of blocks, the last block cut off where they end.
class Blocks {
  public:
    Blocks(Shape shape, Bytes size)
        : together_{.place = 0, .length = size.count},
          stride_(cycle_of(shape).stride),
          cycle_(cycle_of(shape).blocks),
          size_(size.count) {
        for (std::int64_t i = 0; i < in_a_cycle(); ++i) {
            data_in_a_cycle_ += member(i).length;
        }
    }

    [[nodiscard]] std::int64_t size() const { return size_; }
    [[nodiscard]] std::int64_t whole_cycles() const { return size_ == 0 ? 0 : size_ / data_in_a_cycle_; }
    [[nodiscard]] std::int64_t in_a_cycle() const {
        return cycle_.empty() ? 1 : static_cast<std::int64_t>(cycle_.size());
    }

    /// Whether more comes after the whole cycles.
    [[nodiscard]] bool cut() const { return whole_cycles() * data_in_a_cycle_ < size_; }

    /// The number of blocks.
    [[nodiscard]] std::int64_t count() const {
        std::int64_t count = whole_cycles() * in_a_cycle();
        std::int64_t rest = size_ - whole_cycles() * data_in_a_cycle_;
        for (std::int64_t i = 0; rest > 0; ++i) {
            rest -= member(i).length;
            ++count;
        }
        return count;
    }

    /// Block `index` of count().
    [[nodiscard]] Block at(std::int64_t index) const {
        const auto cycle = index / in_a_cycle();
        const auto within = index % in_a_cycle();
        auto data_before = cycle * data_in_a_cycle_;
        for (std::int64_t i = 0; i < within; ++i) {
            data_before += member(i).length;
        }
        const auto& block = member(within);
        return {.place = cycle * stride_ + block.place,
                .length = std::min(block.length, size_ - data_before)};
    }

    /// Bytes from the first to behind the last, gaps included.
    [[nodiscard]] Bytes span() const {
        if (count() == 0) {
            return {0};
        }
        const auto last = at(count() - 1);
        return {last.place + last.length};
    }

  private:
    /// No blocks: all bytes are one.
    static BlockCycle cycle_of(Shape shape) {
        switch (shape) {
            case Shape::vector:
                return vector_cycle;
            case Shape::indexed:
                return indexed_cycle;
            case Shape::record:
                return record_cycle;
            case Shape::bytes:
            case Shape::contiguous:
                break;
        }
        return {};
    }
    [[nodiscard]] const Block& member(std::int64_t index) const {
        return cycle_.empty() ? together_ : cycle_[static_cast<std::size_t>(index)];
    }

    Block together_;
    std::int64_t stride_;
    std::span<const Block> cycle_;
    std::int64_t size_;
    std::int64_t data_in_a_cycle_ = 0;
};

/// The most equal parts that a message can be cut into, up to `most`.
inline std::int64_t equal_parts(Bytes size, std::int64_t most) {
    auto parts = most;
    while (size.count % parts != 0) {
        --parts;
    }
    return parts;
}

/// Copies `size` bytes of data that lie as Shape::vector together, as a program would that knows its blocks.
inline void copy_together(const std::byte* spread, std::byte* together, std::int64_t size) {
    constexpr auto length = vector_blocks[0].length;
    for (; size >= length; size -= length) {
        std::memcpy(together, spread, length);
        spread += vector_cycle.stride;
        together += length;
    }
    std::copy_n(spread, size, together);
}

/// The other way round.
inline void copy_apart(const std::byte* together, std::byte* spread, std::int64_t size) {
    constexpr auto length = vector_blocks[0].length;
    for (; size >= length; size -= length) {
        std::memcpy(spread, together, length);
        spread += vector_cycle.stride;
        together += length;
    }
    std::copy_n(together, size, spread);
}

}  // namespace fathom::probe
