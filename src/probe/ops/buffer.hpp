#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>

#include "base/units.hpp"

namespace fathom::probe {

/// Message memory, aligned to a page so that alignment is the same in every run. With a region there is more
/// of it than the message needs: every repetition takes another slice, so that none is in a cache.
class Buffer {
  public:
    static constexpr std::size_t alignment = 4096;

    /// Throws std::bad_alloc. Without a region the memory is not touched yet.
    explicit Buffer(Bytes size, Bytes region = {0})
        : size_(static_cast<std::size_t>(size.count)),
          slices_(region.count == 0 ? 1 : static_cast<std::size_t>(region.count) / stride() + 2),
          memory_(static_cast<std::byte*>(std::aligned_alloc(alignment, slices_ * stride())), std::free) {
        if (!memory_) {
            throw std::bad_alloc();
        }
        if (slices_ > 1) {
            std::memset(memory_.get(), 0, slices_ * stride());
        }
    }

    /// Moves to the next slice.
    void next() { slice_ = slice_ + 1 == slices_ ? 0 : slice_ + 1; }

    [[nodiscard]] std::byte* data() const { return memory_.get() + slice_ * stride(); }
    [[nodiscard]] std::span<std::byte> bytes() const { return {data(), size_}; }
    [[nodiscard]] std::size_t slices() const { return slices_; }

  private:
    [[nodiscard]] std::size_t stride() const { return (size_ / alignment + 1) * alignment; }

    std::size_t size_;
    std::size_t slices_;
    std::size_t slice_ = 0;
    std::unique_ptr<std::byte, decltype(&std::free)> memory_;
};

}  // namespace fathom::probe
