#include "analysis/guidelines.hpp"

#include <string>

#include <fmt/format.h>

#include "plan/operations.hpp"

namespace fathom::analysis {
namespace {

using enum PartSize;

/// The rows that are written out.
std::vector<Guideline> written() {
    return {
        // The work of one call done by two others
        {"allreduce <= reduce + bcast", "allreduce", {{"reduce"}, {"bcast"}}},
        {"allreduce <= reduce_scatter_block + allgather",
         "allreduce",
         {{"reduce_scatter_block", by_procs}, {"allgather", by_procs}}},
        {"bcast <= scatter + allgather", "bcast", {{"scatter", by_procs}, {"allgather", by_procs}}},
        {"reduce <= reduce_scatter_block + gather",
         "reduce",
         {{"reduce_scatter_block", by_procs}, {"gather", by_procs}}},
        {"allgather <= gather + bcast", "allgather", {{"gather"}, {"bcast", times_procs}}},
        {"reduce_scatter_block <= reduce + scatter",
         "reduce_scatter_block",
         {{"reduce", times_procs}, {"scatter"}}},
        {"reduce_scatter <= reduce + scatterv", "reduce_scatter", {{"reduce", times_procs}, {"scatterv"}}},
        {"scan <= exscan + reduce_local", "scan", {{"exscan"}, {"reduce_local"}}},
        // Calls that do more
        {"gather <= allgather", "gather", {{"allgather"}}},
        {"gather <= reduce", "gather", {{"reduce", times_procs}}},
        {"scatter <= bcast", "scatter", {{"bcast", times_procs}}},
        {"reduce <= allreduce", "reduce", {{"allreduce"}}},
        {"allgather <= alltoall", "allgather", {{"alltoall"}}},
        {"allgather <= allreduce", "allgather", {{"allreduce", times_procs}}},
        {"reduce_scatter_block <= allreduce", "reduce_scatter_block", {{"allreduce", times_procs}}},
        // Calls that are more general; their blocks are equal here
        {"gather <= gatherv", "gather", {{"gatherv"}}},
        {"scatter <= scatterv", "scatter", {{"scatterv"}}},
        {"allgather <= allgatherv", "allgather", {{"allgatherv"}}},
        {"alltoall <= alltoallv", "alltoall", {{"alltoallv"}}},
        {"alltoallv <= alltoallw", "alltoallv", {{"alltoallw"}}},
        {"reduce_scatter_block <= reduce_scatter", "reduce_scatter_block", {{"reduce_scatter"}}},
        // Sizes
        {"n bytes <= 2n bytes", "", {{"", twice}}},
        {"n bytes <= twice n/2 bytes", "", {{"", half, 2}}},
    };
}

std::vector<Guideline> all_guidelines() {
    static const auto texts = [] {
        std::vector<std::pair<std::string, std::string_view>> made;
        for (const auto& row : plan::operations()) {
            if (row.non_blocking_collective()) {
                made.emplace_back(fmt::format("{} <= {}", row.name.substr(1), row.name), row.name);
            }
        }
        return made;
    }();
    auto rows = written();
    for (const auto& [text, name] : texts) {
        rows.push_back({text, name.substr(1), {{name}}});
    }
    return rows;
}

}  // namespace

std::span<const Guideline> guidelines() {
    static const auto rows = all_guidelines();
    return rows;
}

}  // namespace fathom::analysis
