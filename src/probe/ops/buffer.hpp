#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>

#include "base/units.hpp"

namespace fathom::probe {

/// Message memory as malloc gives it, since that is what programs send: copies between page-aligned buffers
/// of two ranks take other times (docs/method.md). With a region there is more of it than the message needs:
/// every repetition takes another slice, so that none is in a cache.
class Buffer {
  public:
    /// Slices begin at multiples of it from the first.
    static constexpr std::size_t slice_step = 4096;

    /// Throws std::bad_alloc. Without a region the memory is not touched yet.
    explicit Buffer(Bytes size, Bytes region = {0})
        : size_(static_cast<std::size_t>(size.count)),
          slices_(region.count == 0 ? 1 : static_cast<std::size_t>(region.count) / stride() + 2),
          memory_(static_cast<std::byte*>(
                      std::malloc(slices_ == 1 ? std::max<std::size_t>(1, size_) : slices_ * stride())),
                  std::free) {
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
    [[nodiscard]] std::size_t stride() const { return (size_ / slice_step + 1) * slice_step; }

    std::size_t size_;
    std::size_t slices_;
    std::size_t slice_ = 0;
    std::unique_ptr<std::byte, decltype(&std::free)> memory_;
};

}  // namespace fathom::probe
