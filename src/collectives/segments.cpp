#include "collectives/segments.hpp"

#include <algorithm>

#include <climits>

#include "collectives/mpi_failure.hpp"

namespace fathom::collectives {

Segments split(std::size_t elements, std::size_t element_bytes, const SegmentLimits& limits) {
    if (element_bytes > limits.capacity) {
        throw MpiFailure{MPI_ERR_TYPE};
    }
    const auto largest = std::min(limits.wanted, limits.capacity);
    Segments made{.elements = elements, .element_bytes = element_bytes, .per_segment = elements, .count = 1};
    if (elements * element_bytes <= largest) {
        return made;
    }
    made.per_segment = std::max<std::size_t>(1, largest / element_bytes);
    const auto segments = (elements + made.per_segment - 1) / made.per_segment;
    if (segments > INT_MAX) {
        throw MpiFailure{MPI_ERR_COUNT};
    }
    made.count = static_cast<int>(segments);
    return made;
}

}  // namespace fathom::collectives
