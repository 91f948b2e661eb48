#pragma once

#include <cstddef>
#include <vector>

namespace fathom::collectives {

/// Where the bytes of an element are in memory, in the order in which MPI packs them: what a thread needs to
/// pack elements without MPI.
struct ElementMap {
    struct Stretch {
        std::ptrdiff_t offset = 0;  ///< from the element's address
        std::size_t bytes = 0;

        friend bool operator==(const Stretch&, const Stretch&) = default;
    };
    std::vector<Stretch> stretches;
    std::size_t bytes = 0;      ///< of all of them
    std::ptrdiff_t extent = 0;  ///< from one element to the next

    /// From the offset of each byte, in the order of packing.
    static ElementMap of(const std::vector<std::ptrdiff_t>& offsets, std::ptrdiff_t extent);

    /// Packs the bytes from `first` on, `count` of them, as counted in the packed elements.
    void pack(const std::byte* elements, std::size_t first, std::size_t count, std::byte* to) const;
    /// The way back; what is between the bytes of elements stays as it is.
    void unpack(const std::byte* from, std::size_t first, std::size_t count, std::byte* elements) const;

  private:
    template <class Body>
    void for_each(std::size_t first, std::size_t count, const Body& body) const;
};

}  // namespace fathom::collectives
