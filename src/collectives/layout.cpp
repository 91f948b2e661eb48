#include "collectives/layout.hpp"

#include "collectives/mpi_failure.hpp"

namespace fathom::collectives {

Layout layout_of(MPI_Datatype type) {
    int bytes = 0;
    MPI_Aint lower = 0;
    MPI_Aint extent = 0;
    MPI_Aint true_lower = 0;
    MPI_Aint true_extent = 0;
    int integers = 0;
    int addresses = 0;
    int types = 0;
    int combiner = MPI_COMBINER_NAMED;
    checked(MPI_Type_size(type, &bytes));
    checked(MPI_Type_get_extent(type, &lower, &extent));
    checked(MPI_Type_get_true_extent(type, &true_lower, &true_extent));
    checked(MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner));
    if (extent < 0) {
        throw MpiFailure{MPI_ERR_TYPE};
    }
    Layout layout{.type = type,
                  .bytes = static_cast<std::size_t>(bytes),
                  .extent = extent,
                  .true_lower = true_lower,
                  .true_extent = true_extent,
                  .named = combiner == MPI_COMBINER_NAMED};
    layout.dense = extent == bytes && true_extent == bytes && true_lower == 0;
    return layout;
}

}  // namespace fathom::collectives
