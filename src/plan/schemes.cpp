#include "plan/schemes.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "plan/find_by_name.hpp"
#include "plan/plan_toml.hpp"
#include "plan/settings.hpp"
#include "plan/unknown_name.hpp"

namespace fathom::plan {
namespace {

/// IMB_settings.h: 1000 calls, fewer where these would move more than 40 MiB.
std::int64_t calls_of_imb(Bytes size) {
    constexpr std::int64_t most_calls = 1'000;
    constexpr std::int64_t most_bytes = 40LL << 20;
    return std::clamp<std::int64_t>(most_bytes / std::max<std::int64_t>(1, size.count), 1, most_calls);
}

/// IMB 2021 warms up with a tenth of its calls. Those between two ranks are timed together, those of all
/// ranks one by one.
void suit_imb(Plan& settings, const OperationInfo& operation, const PointKey& point) {
    constexpr std::int64_t calls_per_warmup = 10;
    const auto calls = calls_of_imb(point.size);
    settings.warmup = std::max<std::int64_t>(1, calls / calls_per_warmup);
    if (operation.of_two()) {
        settings.in_a_row = calls;
    } else {
        settings.max_reps = calls;
    }
}

void suit_pmb(Plan& settings, const OperationInfo& operation, const PointKey& point) {
    if (operation.of_two()) {
        settings.in_a_row = calls_of_imb(point.size);
    }
}

/// osu_util.h of OMB 5 to 7: numbers of calls and of those before them, fewer above 8 KiB.
void suit_osu(Plan& settings, const OperationInfo& operation, const PointKey& point) {
    struct Counts {
        std::int64_t calls;
        std::int64_t warmup;
        std::int64_t large_calls;
        std::int64_t large_warmup;
    };
    constexpr Bytes large{8'192};
    constexpr Counts of_streams{100, 10, 20, 2};
    constexpr Counts of_two{10'000, 100, 1'000, 10};
    constexpr Counts of_all{1'000, 100, 100, 10};
    const auto& counts = operation.group == Group::stream ? of_streams : operation.of_two() ? of_two : of_all;
    settings.max_reps = point.size > large ? counts.large_calls : counts.calls;
    settings.warmup = point.size > large ? counts.large_warmup : counts.warmup;
}

std::string half_apart(int procs) {
    return fmt::format("0-{}", procs / 2);
}

/// MPIBench lets every process p communicate with p + n/2 simultaneously, which is the operation `pairs`;
/// messages have no barrier before them, and count from all processes.
void suit_mpibench(Plan& settings, const OperationInfo& operation, const PointKey& point) {
    if (operation.of_two()) {
        settings.operation.pair = half_apart(point.procs);
    } else if (operation.kind == Kind::one_way) {
        settings.start = StartMode::none;
        settings.over_ranks = OverRanks::mean;
    }
}

constexpr auto all_schemes = std::to_array<Scheme>({
    {"as-imb", "Intel MPI Benchmarks",
     "each collective call timed alone, a barrier between calls, mean over calls and over ranks; ping-pong "
     "of "
     "ranks 0 and 1, up to 1000 in a row after a barrier, half of the mean round trip",
     R"(start = "mpi-barrier"
in_a_row = 1
root = "fixed"
cache = "warm"
finish = "call"
stop = "fixed"
over_ranks = "mean"
over_reps = "mean"
)",
     R"(pair = "0-1"
stop = "median-ci"
min_reps = 10
over_ranks = "root"
)",
     suit_imb},
    {"as-pmb", "Pallas MPI Benchmarks",
     "a barrier, then many calls in a row with a rotating root, mean over calls and over ranks; ping-pong as "
     "IMB, its successor",
     R"(start = "mpi-barrier"
in_a_row = 100
root = "rotating"
cache = "warm"
stop = "median-ci"
finish = "call"
warmup = 2
min_reps = 10
over_ranks = "mean"
over_reps = "mean"
)",
     R"(pair = "0-1"
over_ranks = "root"
)",
     suit_pmb},
    {"as-osu", "OSU Micro-Benchmarks",
     "each collective call timed alone, a barrier between calls, mean over calls and over ranks; ping-pong "
     "of "
     "ranks 0 and 1 without a barrier, half of the mean round trip",
     R"(start = "mpi-barrier"
in_a_row = 1
root = "fixed"
cache = "warm"
finish = "call"
stop = "fixed"
over_ranks = "mean"
over_reps = "mean"
)",
     R"(pair = "0-1"
start = "none"
over_ranks = "root"
)",
     suit_osu},
    {"as-mpptest", "mpptest",
     "few calls in a row after a barrier, root rotating, in rounds over all points; the fastest mean at rank "
     "0; ping-pong of ranks 0 and 1",
     R"(start = "mpi-barrier"
in_a_row = 10
root = "rotating"
cache = "warm"
stop = "median-ci"
finish = "call"
warmup = 1
interleave = true
over_ranks = "root"
over_reps = "min"
)",
     R"(pair = "0-1"
)"},
    {"as-mpbench", "MPBench",
     "a barrier, then many calls in a row and a message from every process to rank 0; mean at rank 0; "
     "ping-pong of the first and the last rank",
     R"(start = "mpi-barrier"
in_a_row = 100
root = "fixed"
cache = "warm"
stop = "median-ci"
finish = "acknowledged"
min_reps = 10
over_ranks = "root"
over_reps = "mean"
)",
     R"(pair = "first-last"
finish = "call"
)"},
    {"as-skampi", "SKaMPI",
     "single calls in time slots of the global clock, data out of cache; slowest rank, mean of the middle "
     "half; ping-pong of the two ranks with the largest latency, the whole round trip",
     R"(start = "window"
in_a_row = 1
root = "fixed"
cache = "cold"
finish = "call"
stop = "skampi"
precision_percent = 3
warmup = 1
over_ranks = "max"
over_reps = "skampi-middle"
)",
     R"(pair = "max-latency"
start = "none"
over_ranks = "root"
round_trip = "whole"
)"},
    {"as-skampi-barrier", "SKaMPI (older)",
     "single calls between two barriers, data out of cache; time at rank 0 minus that of a barrier, mean of "
     "the middle half; ping-pong as SKaMPI",
     R"(start = "mpi-barrier"
finish = "mpi-barrier"
in_a_row = 1
root = "fixed"
cache = "cold"
stop = "skampi"
precision_percent = 3
warmup = 1
over_ranks = "root"
over_reps = "skampi-middle"
)",
     R"(pair = "max-latency"
start = "none"
finish = "call"
round_trip = "whole"
)"},
    {"as-mpibench", "MPIBench",
     "a barrier before each collective call, every call timed, slowest rank, mean over calls; messages "
     "without a barrier between p and p + n/2, mean over calls",
     R"(start = "mpi-barrier"
in_a_row = 1
root = "fixed"
cache = "warm"
stop = "median-ci"
finish = "call"
over_ranks = "max"
over_reps = "mean"
)",
     R"(start = "none"
over_ranks = "root"
)",
     suit_mpibench},
    {"as-nbcbench", "NBCBench (Netgauge)",
     "single calls at one instant of the global clock; slowest rank, median over calls; ping-pong of ranks 0 "
     "and 1 without a barrier",
     R"(start = "window"
in_a_row = 1
root = "fixed"
cache = "warm"
stop = "median-ci"
finish = "call"
over_ranks = "max"
over_reps = "median"
)",
     R"(pair = "0-1"
start = "none"
over_ranks = "root"
)"},
});

/// Not a benchmark: an intermediate step between single calls and the loops of others.
constexpr std::string_view in_a_row_toml = R"(start = "mpi-barrier"
in_a_row = 100
root = "fixed"
cache = "warm"
min_reps = 10
)";

/// Applies what a scheme does for this point alone; what was given besides the scheme stays.
void suit(Plan& settings, const PointKey& point) {
    const auto* const operation = known_operation(point.operation);
    if (operation == nullptr) {
        return;
    }
    const auto& scheme = find_scheme(settings.scheme);
    const auto given = settings;
    if (operation->of_two()) {
        read_plan(settings, scheme.between_two, fmt::format("scheme {}", scheme.name));
    }
    if (scheme.suit != nullptr) {
        scheme.suit(settings, *operation, point);
    }
    settings.scheme_overrides = given.scheme_overrides;
    for (const auto& row : plan::settings()) {
        if (std::find(given.scheme_overrides.begin(), given.scheme_overrides.end(), row.key) !=
            given.scheme_overrides.end()) {
            row.set(settings, row.get(given));
        }
    }
}

/// The settings of a step on the way to the schemes of others; false if the point is no such.
bool take_step(Plan& settings, const PointKey& point) {
    if (point.scheme == in_a_row_scheme) {
        read_plan(settings, in_a_row_toml, "scheme in-a-row");
    } else if (point.scheme == first_two_scheme) {
        settings.operation.pair = "0-1";
    } else if (point.scheme == slowest_pair_scheme) {
        settings.operation.pair = "max-latency";
    } else if (point.scheme == half_apart_scheme) {
        settings.operation.pair = half_apart(point.procs);
    } else {
        return point.scheme == own_scheme;
    }
    return true;
}

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
    plan.scheme_overrides.clear();
}

std::vector<std::string> compared_schemes(const OperationInfo& operation) {
    std::vector<std::string> names{std::string(own_scheme)};
    for (const auto& scheme : all_schemes) {
        names.emplace_back(scheme.name);
    }
    if (operation.of_two()) {
        for (const auto step : {first_two_scheme, slowest_pair_scheme, half_apart_scheme}) {
            names.emplace_back(step);
        }
    } else {
        names.emplace_back(in_a_row_scheme);
    }
    return names;
}

Plan settings_of(const Plan& plan, const PointKey& point) {
    auto settings = plan;
    settings.trees.clear();  // long, and the same for all points
    if (!point.scheme.empty()) {
        if (take_step(settings, point)) {
            return settings;
        }
        apply_scheme(settings, point.scheme);
    }
    if (!settings.scheme.empty()) {
        suit(settings, point);
    }
    return settings;
}

}  // namespace fathom::plan
