#include "tune/model/library_models.hpp"

#include <algorithm>
#include <array>

namespace fathom::tune {
namespace {

struct LibraryModel {
    plan::Flavour flavour;
    std::string_view operation;
    std::string_view name;
    std::string_view model;
};

using enum plan::Flavour;

/// Names differ between libraries for what is the same pattern of messages. Algorithms in segments are left
/// out: the sizes of those are the library's.
constexpr auto library_models = std::to_array<LibraryModel>({
    {openmpi, "bcast", "binomial", "binomial"},
    {openmpi, "bcast", "scatter_allgather", "scatter_rd_allgather"},
    {openmpi, "bcast", "scatter_allgather_ring", "scatter_ring_allgather"},
    {openmpi, "alltoall", "linear", "isend_irecv"},
    {openmpi, "alltoall", "pairwise", "pairwise_shift"},
    {openmpi, "alltoall", "modified_bruck", "bruck"},
    {openmpi, "allgather", "bruck", "bruck"},
    {openmpi, "allgather", "recursive_doubling", "recursive_doubling"},
    {openmpi, "allgather", "ring", "ring"},
    {openmpi, "allgather", "neighbor", "neighbor_exchange"},
    {openmpi, "reduce_scatter", "recursive_halving", "recursive_halving"},
    {openmpi, "allreduce", "recursive_doubling", "recursive_doubling"},
    {openmpi, "allreduce", "ring", "ring"},
    {openmpi, "allreduce", "rabenseifner", "rabenseifner"},
    {openmpi, "reduce", "binomial", "binomial"},
    {openmpi, "reduce", "rabenseifner", "rabenseifner"},
    {openmpi, "barrier", "bruck", "dissemination"},
    {mpich, "bcast", "binomial", "binomial"},
    {mpich, "bcast", "scatter_recursive_doubling_allgather", "scatter_rd_allgather"},
    {mpich, "bcast", "scatter_ring_allgather", "scatter_ring_allgather"},
    {mpich, "alltoall", "brucks", "bruck"},
    {mpich, "alltoall", "pairwise", "pairwise_exchange"},
    {mpich, "alltoall", "scattered", "isend_irecv"},
    {mpich, "allgather", "brucks", "bruck"},
    {mpich, "allgather", "recursive_doubling", "recursive_doubling"},
    {mpich, "allgather", "ring", "ring"},
    {mpich, "reduce_scatter", "recursive_halving", "recursive_halving"},
    {mpich, "reduce_scatter", "recursive_doubling", "recursive_doubling"},
    {mpich, "reduce_scatter", "pairwise", "pairwise"},
    {mpich, "allreduce", "recursive_doubling", "recursive_doubling"},
    {mpich, "allreduce", "reduce_scatter_allgather", "rabenseifner"},
    {mpich, "reduce", "binomial", "binomial"},
    {mpich, "reduce", "reduce_scatter_gather", "rabenseifner"},
    {mpich, "barrier", "dissemination", "dissemination"},
    {smpi, "bcast", "binomial_tree", "binomial"},
    {smpi, "bcast", "scatter_LR_allgather", "scatter_ring_allgather"},
    {smpi, "bcast", "scatter_rdb_allgather", "scatter_rd_allgather"},
    {smpi, "alltoall", "basic_linear", "isend_irecv"},
    {smpi, "alltoall", "bruck", "bruck"},
    {smpi, "alltoall", "pair", "pairwise_exchange"},
    {smpi, "alltoall", "ring", "pairwise_shift"},
    {smpi, "allgather", "bruck", "bruck"},
    {smpi, "allgather", "rdb", "recursive_doubling"},
    {smpi, "allgather", "ring", "ring"},
    {smpi, "allgather", "ompi_neighborexchange", "neighbor_exchange"},
    {smpi, "reduce_scatter", "ompi_basic_recursivehalving", "recursive_halving"},
    {smpi, "reduce_scatter", "mpich_pair", "pairwise"},
    {smpi, "reduce_scatter", "mpich_rdb", "recursive_doubling"},
    {smpi, "allreduce", "rdb", "recursive_doubling"},
    {smpi, "allreduce", "lr", "ring"},
    {smpi, "allreduce", "rab", "rabenseifner"},
    {smpi, "reduce", "binomial", "binomial"},
    {smpi, "reduce", "rab", "rabenseifner"},
    {smpi, "barrier", "ompi_bruck", "dissemination"},
});

}  // namespace

const Algorithm* model_of_library(plan::Flavour flavour, std::string_view operation, std::string_view name) {
    const auto* const row = std::ranges::find_if(library_models, [&](const LibraryModel& one) {
        return one.flavour == flavour && one.operation == operation && one.name == name;
    });
    if (row == library_models.end()) {
        return nullptr;
    }
    const auto all = algorithms_of(operation);
    const auto found = std::ranges::find(all, row->model, &Algorithm::name);
    return found == all.end() ? nullptr : *found;
}

}  // namespace fathom::tune
