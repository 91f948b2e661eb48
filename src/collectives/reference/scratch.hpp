#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

namespace fathom::collectives::reference {

/// What memory of its own a call uses at the same time.
enum class Slot {
    first,  ///< of the algorithm; the registry says how many it takes
    second,
    third,
    packed_in,  ///< of datatypes whose elements are not their bytes, or of data that would be overwritten
    packed_out,
    copied,  ///< elements with gaps on their way from one place to another
};
inline constexpr std::size_t slots = 6;
inline constexpr std::size_t slots_of_algorithms = 3;

/// Memory of its own for every slot, kept from call to call. Allocates only where a slot has never had as
/// much; throws std::bad_alloc.
class Scratch {
  public:
    std::byte* get(Slot slot, std::size_t bytes) {
        auto& buffer = buffers_[static_cast<std::size_t>(slot)];
        if (bytes > buffer.bytes || !buffer.memory) {
            buffer.bytes = std::max(line, (bytes + line - 1) / line * line);
            buffer.memory.reset();
            buffer.memory.reset(static_cast<std::byte*>(std::aligned_alloc(line, buffer.bytes)));
            if (!buffer.memory) {
                buffer.bytes = 0;
                throw std::bad_alloc();
            }
        }
        return buffer.memory.get();
    }

  private:
    static constexpr std::size_t line = 64;  ///< of a cache, to which all memory is aligned

    struct Free {
        void operator()(std::byte* memory) const { std::free(memory); }
    };
    struct Buffer {
        std::unique_ptr<std::byte, Free> memory;
        std::size_t bytes = 0;
    };
    std::array<Buffer, slots> buffers_;
};

}  // namespace fathom::collectives::reference
