#pragma once

#include <cstddef>

namespace fathom::collectives {

/// The pieces that the data of a call go through a tree in: whole elements, the same at every leaf.
struct Segments {
    std::size_t elements = 0;
    std::size_t element_bytes = 0;  ///< packed
    std::size_t per_segment = 0;    ///< elements; the last may have fewer
    int count = 1;

    [[nodiscard]] std::size_t elements_in(int segment) const {
        return segment + 1 < count ? per_segment
                                   : elements - per_segment * static_cast<std::size_t>(count - 1);
    }
    [[nodiscard]] std::size_t bytes_in(int segment) const { return elements_in(segment) * element_bytes; }
    /// Where a segment begins in the packed data.
    [[nodiscard]] std::size_t begin_of(int segment) const {
        return static_cast<std::size_t>(segment) * per_segment * element_bytes;
    }
    [[nodiscard]] bool is_last(int segment) const { return segment + 1 == count; }
};

/// How large segments may be, the same on all ranks and threads.
struct SegmentLimits {
    std::size_t wanted = 0;    ///< bytes that messages are split into
    std::size_t capacity = 0;  ///< of buffers: at most this, and an element must fit
};

/// Throws MpiFailure if an element does not fit, or if there are too many segments to count.
Segments split(std::size_t elements, std::size_t element_bytes, const SegmentLimits& limits);

}  // namespace fathom::collectives
