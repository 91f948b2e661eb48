#include "plan/schemes.hpp"

#include <array>

#include <fmt/format.h>

#include "plan/find_by_name.hpp"
#include "plan/plan_toml.hpp"
#include "plan/unknown_name.hpp"

namespace fathom::plan {
namespace {

constexpr auto all_schemes = std::to_array<Scheme>({
    {"as-imb", "Intel MPI Benchmarks",
     "a barrier, then many calls in a row with a rotating root; mean over calls and over ranks",
     R"(start = "mpi-barrier"
in_a_row = 100
root = "rotating"
cache = "warm"
warmup = 2
min_reps = 10
over_ranks = "mean"
over_reps = "mean"
)"},
    {"as-osu", "OSU Micro-Benchmarks",
     "each call timed alone, a barrier between calls; mean over calls and over ranks",
     R"(start = "mpi-barrier"
in_a_row = 1
root = "fixed"
cache = "warm"
warmup = 200
over_ranks = "mean"
over_reps = "mean"
)"},
    {"as-mpptest", "mpptest",
     "few calls in a row after a barrier, root rotating, spread over the run; the fastest mean at rank 0",
     R"(start = "mpi-barrier"
in_a_row = 10
root = "rotating"
cache = "warm"
warmup = 1
over_ranks = "root"
over_reps = "min"
)"},
    {"as-mpbench", "MPBench", "many calls in a row without any synchronisation; mean at rank 0",
     R"(start = "none"
in_a_row = 100
root = "fixed"
cache = "warm"
min_reps = 10
over_ranks = "root"
over_reps = "mean"
)"},
    {"as-skampi", "SKaMPI",
     "single calls in time slots of the global clock, data out of cache; slowest rank, mean of the middle "
     "half",
     R"(start = "window"
in_a_row = 1
root = "fixed"
cache = "cold"
stop = "skampi"
precision_percent = 3
warmup = 1
over_ranks = "max"
over_reps = "skampi-middle"
)"},
    {"as-mpibench", "MPIBench", "a barrier before each call, every call timed; slowest rank, mean over calls",
     R"(start = "mpi-barrier"
in_a_row = 1
root = "fixed"
cache = "warm"
over_ranks = "max"
over_reps = "mean"
)"},
    {"as-nbcbench", "NBCBench (Netgauge)",
     "single calls at one instant of the global clock; slowest rank, median over calls",
     R"(start = "window"
in_a_row = 1
root = "fixed"
cache = "warm"
over_ranks = "max"
over_reps = "median"
)"},
});

/// Not a benchmark: an intermediate step between single calls and the loops of others.
constexpr std::string_view in_a_row_toml = R"(start = "mpi-barrier"
in_a_row = 100
root = "fixed"
cache = "warm"
min_reps = 10
)";

}  // namespace

std::span<const Scheme> schemes() {
    return all_schemes;
}

const Scheme& find_scheme(std::string_view name) {
    return find_by_name(all_schemes, name, "scheme");
}

void apply_scheme(Plan& plan, std::string_view name) {
    const auto& scheme = find_scheme(name);
    read_plan(plan, scheme.toml, fmt::format("scheme {}", name));
    plan.scheme = name;
}

std::vector<std::string> compared_schemes() {
    std::vector<std::string> names{std::string(own_scheme)};
    for (const auto& scheme : all_schemes) {
        names.emplace_back(scheme.name);
    }
    names.emplace_back(in_a_row_scheme);
    return names;
}

Plan settings_of(const Plan& plan, const PointKey& point) {
    auto settings = plan;
    if (point.scheme == in_a_row_scheme) {
        read_plan(settings, in_a_row_toml, "scheme in-a-row");
    } else if (!point.scheme.empty() && point.scheme != own_scheme) {
        apply_scheme(settings, point.scheme);
    }
    return settings;
}

}  // namespace fathom::plan
