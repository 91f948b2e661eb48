#include "analysis/curves/guidelines.hpp"

#include <string>

#include "plan/operations.hpp"

namespace fathom::analysis {
namespace {

using enum PartSize;

/// The rows that are written out.
std::vector<Guideline> written() {
    return {
        // The work of one call done by two others
        {"allreduce", "reduce + bcast", "allreduce", {{"reduce"}, {"bcast"}}},
        {"allreduce",
         "reduce_scatter_block + allgather",
         "allreduce",
         {{"reduce_scatter_block", by_procs}, {"allgather", by_procs}}},
        {"allreduce",
         "reduce_scatter + allgatherv",
         "allreduce",
         {{"reduce_scatter", by_procs}, {"allgatherv", by_procs}}},
        {"bcast", "scatter + allgather", "bcast", {{"scatter", by_procs}, {"allgather", by_procs}}},
        {"reduce",
         "reduce_scatter_block + gather",
         "reduce",
         {{"reduce_scatter_block", by_procs}, {"gather", by_procs}}},
        {"allgather", "gather + bcast", "allgather", {{"gather"}, {"bcast", times_procs}}},
        {"reduce_scatter_block",
         "reduce + scatter",
         "reduce_scatter_block",
         {{"reduce", times_procs}, {"scatter"}}},
        {"reduce_scatter", "reduce + scatterv", "reduce_scatter", {{"reduce", times_procs}, {"scatterv"}}},
        {"scan", "exscan + reduce_local", "scan", {{"exscan"}, {"reduce_local"}}},
        // Calls that do more
        {"gather", "allgather", "gather", {{"allgather"}}},
        {"gather", "reduce", "gather", {{"reduce", times_procs}}},
        {"scatter", "bcast", "scatter", {{"bcast", times_procs}}},
        {"reduce", "allreduce", "reduce", {{"allreduce"}}},
        {"allgather", "alltoall", "allgather", {{"alltoall"}}},
        {"allgather", "allreduce", "allgather", {{"allreduce", times_procs}}},
        {"reduce_scatter_block", "allreduce", "reduce_scatter_block", {{"allreduce", times_procs}}},
        {"reduce_scatter", "allreduce", "reduce_scatter", {{"allreduce", times_procs}}},
        {"gather", "alltoall", "gather", {{"alltoall"}}},
        {"scatter", "alltoall", "scatter", {{"alltoall"}}},
        {"neighbor_allgather", "neighbor_alltoall", "neighbor_allgather", {{"neighbor_alltoall"}}},
        // Calls that are more general; their blocks are equal here
        {"gather", "gatherv", "gather", {{"gatherv"}}},
        {"scatter", "scatterv", "scatter", {{"scatterv"}}},
        {"allgather", "allgatherv", "allgather", {{"allgatherv"}}},
        {"alltoall", "alltoallv", "alltoall", {{"alltoallv"}}},
        {"alltoallv", "alltoallw", "alltoallv", {{"alltoallw"}}},
        {"reduce_scatter_block", "reduce_scatter", "reduce_scatter_block", {{"reduce_scatter"}}},
        // Sizes
        {"n bytes", "2n bytes", "", {{"", twice}}, false, true},
        {"n bytes", "twice n/2 bytes", "", {{"", half, 2}}, true},
    };
}

/// A blocking call is no slower than the non-blocking one waited for immediately, and a persistent one, set
/// up before no slower than that one.
std::vector<Guideline> of_the_same_call() {
    std::vector<Guideline> guidelines;
    for (const auto& row : plan::operations()) {
        if (row.group != plan::Group::collective || row.form != plan::Form::non_blocking) {
            continue;
        }
        for (const auto form : {plan::Form::blocking, plan::Form::persistent}) {
            if (const auto* other = plan::collective_of(row.call, form)) {
                guidelines.push_back({other->name, row.name, other->name, {{row.name}}});
            }
        }
    }
    return guidelines;
}

}  // namespace

std::span<const Guideline> guidelines() {
    static const auto rows = [] {
        auto all = written();
        const auto same = of_the_same_call();
        all.insert(all.end(), same.begin(), same.end());
        return all;
    }();
    return rows;
}

}  // namespace fathom::analysis
