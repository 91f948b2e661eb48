// Collectives as a table: one row per call, in its blocking, non-blocking and persistent form.
#include "probe/ops/collective.hpp"

#include <algorithm>
#include <array>

namespace fathom::probe::collective {
namespace {

// NOLINTBEGIN(cppcoreguidelines-macro-usage): the three forms of a call differ by name and last arguments
// only
#if MPI_VERSION >= 4
#define PERSISTENT(Name, ...)                                                          \
    [](const Arguments& a, MPI_Request* request) {                                     \
        return MPI_##Name##_init(__VA_ARGS__, a.communicator, MPI_INFO_NULL, request); \
    }
#define PERSISTENT_BARRIER                                               \
    [](const Arguments& a, MPI_Request* request) {                       \
        return MPI_Barrier_init(a.communicator, MPI_INFO_NULL, request); \
    }
#else
#define PERSISTENT(...) nullptr
#define PERSISTENT_BARRIER nullptr
#endif
#define FORMS(Name, name, ...)                                                  \
    [](const Arguments& a) { return MPI_##Name(__VA_ARGS__, a.communicator); }, \
        [](const Arguments& a, MPI_Request* request) {                          \
            return MPI_I##name(__VA_ARGS__, a.communicator, request);           \
        },                                                                      \
        PERSISTENT(Name, __VA_ARGS__)
#define OWN(name, ...) \
    [](const Arguments& a, Implementation& ours) { return ours.name(a.thread, __VA_ARGS__); }
#define ONE_BLOCK a.in, a.count, a.type, a.out, a.count, a.type
#define REDUCED a.in, a.out, a.count, a.type, a.op
// NOLINTEND(cppcoreguidelines-macro-usage)

constexpr Side none{};
constexpr Side whole{Who::everybody, Blocks::one};
constexpr Side whole_at_root{Who::root, Blocks::one};
constexpr Side own{Who::everybody, Blocks::own};
constexpr Side for_each{Who::everybody, Blocks::for_each};
constexpr Side for_each_at_root{Who::root, Blocks::for_each};
constexpr Side from_each{Who::everybody, Blocks::from_each};
constexpr Side of_neighbours{Who::everybody, Blocks::of_neighbours};

constexpr auto collectives = std::to_array<Row>({
    {"barrier", Content::nothing, none, none, [](const Arguments& a) { return MPI_Barrier(a.communicator); },
     [](const Arguments& a, MPI_Request* request) { return MPI_Ibarrier(a.communicator, request); },
     PERSISTENT_BARRIER, [](const Arguments& a, Implementation& ours) { return ours.barrier(a.thread); }},
    // One buffer: what the root has in it comes out everywhere.
    {"bcast", Content::moved, none, whole, FORMS(Bcast, bcast, a.out, a.count, a.type, a.root),
     OWN(bcast, a.out, a.count, a.type, a.root)},
    {"gather", Content::moved, own, for_each_at_root, FORMS(Gather, gather, ONE_BLOCK, a.root),
     OWN(gather, a.in, a.out, a.count, a.type, a.root)},
    {"scatter", Content::moved, for_each_at_root, own, FORMS(Scatter, scatter, ONE_BLOCK, a.root),
     OWN(scatter, a.in, a.out, a.count, a.type, a.root)},
    {"allgather", Content::moved, own, for_each, FORMS(Allgather, allgather, ONE_BLOCK),
     OWN(allgather, a.in, a.out, a.count, a.type)},
    {"alltoall", Content::moved, for_each, from_each, FORMS(Alltoall, alltoall, ONE_BLOCK),
     OWN(alltoall, a.in, a.out, a.count, a.type)},
    {"gatherv", Content::moved, own, for_each_at_root,
     FORMS(Gatherv, gatherv, a.in, a.count, a.type, a.out, a.out_counts, a.out_places, a.type, a.root)},
    {"scatterv", Content::moved, for_each_at_root, own,
     FORMS(Scatterv, scatterv, a.in, a.in_counts, a.in_places, a.type, a.out, a.count, a.type, a.root)},
    {"allgatherv", Content::moved, own, for_each,
     FORMS(Allgatherv, allgatherv, a.in, a.count, a.type, a.out, a.out_counts, a.out_places, a.type)},
    // Every rank sends each other its share, so that one with a large share receives much and sends no more
    // than the others. Places of alltoallw are in bytes, which the elements are.
    {"alltoallv", Content::moved, for_each, from_each,
     FORMS(Alltoallv, alltoallv, a.in, a.in_counts, a.in_places, a.type, a.out, a.out_counts, a.out_places,
           a.type)},
    {"alltoallw", Content::moved, for_each, from_each,
     FORMS(Alltoallw, alltoallw, a.in, a.in_counts, a.in_places, a.types, a.out, a.out_counts, a.out_places,
           a.types)},
    {"reduce", Content::reduced, whole, whole_at_root, FORMS(Reduce, reduce, REDUCED, a.root),
     OWN(reduce, REDUCED, a.root)},
    {"allreduce", Content::reduced, whole, whole, FORMS(Allreduce, allreduce, REDUCED),
     OWN(allreduce, REDUCED)},
    {"reduce_scatter", Content::reduced, for_each, own,
     FORMS(Reduce_scatter, reduce_scatter, a.in, a.out, a.in_counts, a.type, a.op),
     OWN(reduce_scatter, a.in, a.out, a.in_counts, a.type, a.op)},
    {"reduce_scatter_block", Content::reduced, for_each, own,
     FORMS(Reduce_scatter_block, reduce_scatter_block, REDUCED), OWN(reduce_scatter_block, REDUCED)},
    {"scan", Content::reduced_up_to, whole, whole, FORMS(Scan, scan, REDUCED)},
    {"exscan", Content::reduced_below, whole, whole, FORMS(Exscan, exscan, REDUCED)},
    {"neighbor_allgather", Content::moved, whole, of_neighbours,
     FORMS(Neighbor_allgather, neighbor_allgather, ONE_BLOCK)},
    {"neighbor_alltoall", Content::moved, of_neighbours, of_neighbours,
     FORMS(Neighbor_alltoall, neighbor_alltoall, ONE_BLOCK)},
});

std::unique_ptr<Operation> make(const OperationContext& context, Call call) {
    switch (call.row.content) {
        case Content::nothing:
            return make_empty(context, call);
        case Content::moved:
            return make_moved(context, call);
        default:
            return make_reduced(context, call);
    }
}

}  // namespace
}  // namespace fathom::probe::collective

namespace fathom::probe {

std::unique_ptr<Operation> make_collective(const plan::OperationInfo& info, const OperationContext& context) {
    using collective::collectives;
    const auto* const row = std::ranges::find(collectives, info.call, &collective::Row::name);
    return row == collectives.end() ? nullptr : collective::make(context, {*row, info});
}

}  // namespace fathom::probe
