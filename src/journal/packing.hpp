#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.hpp"

/// How rows of numbers become short texts and back: differences as varints, then zstd. Of use within this
/// room.
namespace fathom::journal {

/// Appends an unsigned number, seven bits per byte.
void put_unsigned(std::string& out, std::uint64_t value);

/// Appends the difference from another number. Small ones of either sign become short, and differences of any
/// two numbers survive.
void put_difference(std::string& out, std::int64_t value, std::int64_t before);

/// What is thrown where a block is not as it was packed.
BadInput damaged_block();

/// Reads numbers in the order they were put.
class NumberReader {
  public:
    explicit NumberReader(std::string_view bytes) : bytes_(bytes) {}

    std::int64_t next_after(std::int64_t before);
    std::uint64_t next_unsigned();
    [[nodiscard]] bool at_end() const { return bytes_.empty(); }

  private:
    std::string_view bytes_;
};

std::string compressed(const std::string& plain);

/// Of `count` rows, each with this many numbers and single bytes. Throws Error if that is impossible, before
/// memory is taken for more than blocks may hold (limits.hpp).
std::string decompressed(std::string_view packed, std::int64_t count, std::size_t numbers, std::size_t bytes);

}  // namespace fathom::journal
