#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>

#include "base/units.hpp"

namespace fathom::probe {

/// Message memory, aligned to a page so that alignment is the same in every run.
class Buffer {
  public:
    static constexpr std::size_t alignment = 4096;

    /// Throws std::bad_alloc. The memory is not touched yet.
    explicit Buffer(Bytes size)
        : size_(static_cast<std::size_t>(size.count)),
          memory_(static_cast<std::byte*>(std::aligned_alloc(alignment, rounded(size_))), std::free) {
        if (!memory_) {
            throw std::bad_alloc();
        }
    }

    [[nodiscard]] std::byte* data() const { return memory_.get(); }
    [[nodiscard]] std::span<std::byte> bytes() const { return {memory_.get(), size_}; }

  private:
    static std::size_t rounded(std::size_t size) { return (size / alignment + 1) * alignment; }

    std::size_t size_;
    std::unique_ptr<std::byte, decltype(&std::free)> memory_;
};

}  // namespace fathom::probe
