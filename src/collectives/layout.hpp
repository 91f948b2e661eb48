#pragma once

#include <cstddef>

#include <mpi.h>

namespace fathom::collectives {

/// How elements of a datatype lie in memory.
struct Layout {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    std::size_t bytes = 0;  ///< of data in an element
    std::ptrdiff_t extent = 0;
    std::ptrdiff_t true_lower = 0;
    std::ptrdiff_t true_extent = 0;
    bool named = false;  ///< one of MPI's own, which is never freed
    bool dense = false;  ///< elements are their data and nothing else, so that copying bytes copies them

    /// Memory that this many elements cover, from the first byte of data to the last.
    [[nodiscard]] std::size_t span(std::size_t elements) const {
        return elements == 0 ? 0
                             : (elements - 1) * static_cast<std::size_t>(extent) +
                                   static_cast<std::size_t>(true_extent);
    }
};

/// Asks MPI. Throws MpiFailure; MPI_ERR_TYPE for a negative extent, of which no copies can be made in a row.
Layout layout_of(MPI_Datatype type);

}  // namespace fathom::collectives
