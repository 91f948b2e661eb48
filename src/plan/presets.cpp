#include "plan/presets.hpp"

#include <array>

#include <fmt/format.h>

#include "plan/find_by_name.hpp"
#include "plan/plan_toml.hpp"
#include "plan/unknown_name.hpp"

namespace fathom::plan {
namespace {

constexpr auto all_presets = std::to_array<Preset>({
    {"quick", "a first look in under a minute on 2 cores",
     R"(operations = ["pingpong", "barrier", "bcast", "allreduce"]
sizes = ["8", "64", "1k", "8k", "64k", "512k", "4M"]
point_budget_ms = 1000
)"},
    {"standard", "what a paper would report: the common operations from 1 B to 1 MiB, each to 2 %",
     R"(operations = ["pingpong", "bandwidth", "barrier", "bcast", "gather", "scatter", "reduce", "allreduce",
              "allgather", "alltoall"]
sizes = ["1:1M"]
point_budget_ms = 5000
)"},
    {"full", "every operation that the MPI library has, at four sizes",
     R"(operations = ["all"]
sizes = ["8", "1k", "64k", "1M"]
point_budget_ms = 1000
)"},
    {"acceptance", "for a new or repaired cluster: ends with a verdict and the outliers named",
     R"(operations = ["matrix", "duplex", "pingpong", "bandwidth", "bibandwidth", "barrier", "bcast", "allreduce",
              "allgather", "alltoall"]
sizes = ["8", "1k", "64k", "1M"]
point_budget_ms = 2000
check_clock = true
judge = true
)"},
    {"overlap", "overhead, availability, overlap and progress of non-blocking calls, and LogGP parameters",
     R"(operations = ["overlap.isend", "overlap.irecv", "pingpong.isend_irecv", "message-rate",
              "overlap.ibarrier", "overlap.ibcast", "overlap.iallreduce", "overlap.ialltoall"]
sizes = ["0", "8", "64", "512", "1k:1M"]
point_budget_ms = 2000
)"},
    {"imb-mpi1", "the operations and sizes of the Intel MPI Benchmarks' IMB-MPI1",
     R"(operations = ["pingpong", "pingpong.sendrecv", "ring", "exchange", "bandwidth", "bibandwidth", "allreduce",
              "reduce", "reduce_scatter", "allgather", "allgatherv", "gather", "gatherv", "scatter", "scatterv",
              "alltoall", "alltoallv", "bcast", "barrier"]
sizes = ["0", "1:4M"]
point_budget_ms = 1000
)"},
    {"osu", "the operations and sizes of the OSU Micro-Benchmarks",
     R"(operations = ["pingpong", "bandwidth", "bibandwidth", "pairs", "message-rate", "put.flush", "get.flush",
              "accumulate.flush", "get_accumulate.flush", "fetch_and_op.flush", "compare_and_swap.flush",
              "allgather", "allgatherv", "allreduce", "alltoall", "alltoallv", "alltoallw", "barrier", "bcast",
              "gather", "gatherv", "reduce", "reduce_scatter", "scatter", "scatterv", "iallgather", "iallreduce",
              "ialltoall", "ibarrier", "ibcast", "igather", "ireduce", "iscatter"]
sizes = ["1:4M"]
point_budget_ms = 1000
)"},
});

}  // namespace

std::span<const Preset> presets() {
    return all_presets;
}

void apply_preset(Plan& plan, std::string_view name) {
    read_plan(plan, find_by_name(all_presets, name, "preset").toml, fmt::format("preset {}", name));
}

}  // namespace fathom::plan
