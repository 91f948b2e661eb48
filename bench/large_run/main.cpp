// fathom-large-run FILE OPERATIONS SIZES PROCS[,PROCS...] REPETITIONS: a result file with one large run of
// made-up times, to see how reports cope with it.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>

#include <fmt/format.h>

#include "base/error.hpp"
#include "plan/operations.hpp"
#include "store/store.hpp"

namespace {

using namespace fathom;

struct Shape {
    int operations = 5;
    int sizes = 40;
    std::vector<int> procs{64};  // ascending
    int reps = 2000;

    [[nodiscard]] int ranks() const { return procs.back(); }
};

constexpr int ranks_by_host = 8;
constexpr std::int64_t offset_by_rank_ns = 1000;
constexpr std::int64_t gap_ns = 150'000;  // between repetitions
constexpr std::int64_t sync_every_ns = 1'000'000'000;

/// Collectives first, then whatever else is timed call by call.
std::vector<const plan::OperationInfo*> operations_of(const Shape& shape) {
    std::vector<const plan::OperationInfo*> operations;
    for (const auto kind :
         {plan::Kind::collective, plan::Kind::round_trip, plan::Kind::pair, plan::Kind::single}) {
        for (const auto& operation : plan::operations()) {
            if (operation.kind == kind && operation.sized && operation.group != plan::Group::overlap) {
                operations.push_back(&operation);
            }
        }
    }
    if (operations.size() > static_cast<std::size_t>(shape.operations)) {
        operations.resize(static_cast<std::size_t>(shape.operations));
    }
    return operations;
}

/// Over sizes of which each is 2 to the power of a third larger than the one before.
std::vector<plan::PointSpec> points_of(const Shape& shape) {
    std::vector<plan::PointSpec> points;
    for (const auto* operation : operations_of(shape)) {
        for (const int procs : shape.procs) {
            for (int step = 0; step < shape.sizes; ++step) {
                points.push_back({.index = static_cast<int>(points.size()),
                                  .key = {.operation = std::string(operation->name),
                                          .pattern = std::string(operation->pattern()),
                                          .procs = procs,
                                          .size = {4 * static_cast<std::int64_t>(
                                                           std::round(8 * std::exp2(step / 3.0)))}}});
            }
        }
    }
    return points;
}

void put_clocks(store::Store& store, std::int64_t job, const Shape& shape, std::int64_t end_ns) {
    std::vector<journal::ClockSync> syncs;
    int number = 0;
    for (std::int64_t at = 0; at <= end_ns + sync_every_ns; at += sync_every_ns, ++number) {
        for (int rank = 0; rank < shape.ranks(); ++rank) {
            journal::ClockSync sync;
            sync.sync = number;
            sync.rank = rank;
            sync.at_ns = at + offset_by_rank_ns * rank;
            sync.offset_ns = offset_by_rank_ns * rank;
            sync.low_ns = sync.offset_ns - 50;
            sync.high_ns = sync.offset_ns + 50;
            sync.scheme = "hosts";
            syncs.push_back(sync);
        }
    }
    store.put(job, syncs);
}

/// A log-normal body; ranks further down a tree take longer; some repetitions wait for a lost packet.
std::vector<journal::Sample> samples_of(const Shape& shape, int rank, double typical_ns,
                                        std::int64_t begin_ns, std::mt19937_64& random) {
    std::lognormal_distribution<double> body(0, 0.08);
    std::uniform_real_distribution<double> chance(0, 1);
    const double level = 1 + 0.25 * std::floor(std::log2(rank + 1));
    std::vector<journal::Sample> samples;
    for (int rep = 0; rep < shape.reps; ++rep) {
        double time_ns = typical_ns * level * body(random);
        if (chance(random) < 0.0005) {
            time_ns += 200e6;
        }
        samples.push_back(
            {.start = {begin_ns + rep * gap_ns + static_cast<std::int64_t>(chance(random) * 200)},
             .duration = {static_cast<std::int64_t>(time_ns)},
             .valid = true});
    }
    return samples;
}

void fill(store::Store& store, const Shape& shape) {
    const auto points = points_of(shape);
    store::RunRow row;
    row.label = "large";
    row.plan_toml = "reps = " + std::to_string(shape.reps) + "\n";
    row.procs = shape.ranks();
    row.mpi_flavour = "openmpi";
    row.command_line = "made up";
    row.fathom_version = "0";
    row.fathom_commit = "0";
    const auto run = store.create_run(row, points);
    const auto job = store.create_job(run, "none", "none");
    journal::JobInfo info;
    info.procs = shape.ranks();
    info.mpi_flavour = row.mpi_flavour;
    info.mpi_version = "made up";
    info.time_source = "counter";
    store.put(job, info);
    for (int rank = 0; rank < shape.ranks(); ++rank) {
        store.put(job, journal::RankInfo{.rank = rank,
                                         .host = fmt::format("node{:02}", rank / ranks_by_host),
                                         .pid = 1000 + rank,
                                         .binding = std::to_string(rank % ranks_by_host)});
    }
    const std::int64_t point_ns = shape.reps * gap_ns;
    put_clocks(store, job, shape, point_ns * static_cast<std::int64_t>(points.size()));
    std::mt19937_64 random(1);
    for (const auto& point : points) {
        const double typical_ns = 5000 + 0.5 * static_cast<double>(point.key.size.count);
        int rank = 0;
        store.put_point(run, job,
                        {.index = point.index,
                         .status = journal::PointStatus::ok,
                         .datatype = "float",
                         .start = "window",
                         .samples = point.key.procs * shape.reps},
                        [&]() -> std::optional<journal::SampleBlock> {
                            if (rank == point.key.procs) {
                                return std::nullopt;
                            }
                            const auto samples =
                                samples_of(shape, rank, typical_ns,
                                           point.index * point_ns + offset_by_rank_ns * rank, random);
                            return journal::SampleBlock{.point = point.index,
                                                        .rank = rank++,
                                                        .first_rep = 0,
                                                        .count = shape.reps,
                                                        .data = journal::pack_samples(samples)};
                        });
    }
    store.end_job(job, "done");
    store.set_run_status(run, store::RunStatus::done);
}

std::vector<int> counts_of(const std::string& text) {
    std::vector<int> counts;
    for (std::size_t begin = 0; begin < text.size();) {
        const auto end = std::min(text.find(',', begin), text.size());
        counts.push_back(std::atoi(text.substr(begin, end - begin).c_str()));
        begin = end + 1;
    }
    std::sort(counts.begin(), counts.end());
    return counts;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 6 || counts_of(argv[4]).empty()) {
        fmt::print(stderr, "fathom-large-run FILE OPERATIONS SIZES PROCS[,PROCS...] REPETITIONS\n");
        return 2;
    }
    try {
        auto store = store::Store::open_or_create(argv[1]);
        fill(store, {.operations = std::atoi(argv[2]),
                     .sizes = std::atoi(argv[3]),
                     .procs = counts_of(argv[4]),
                     .reps = std::atoi(argv[5])});
    } catch (const std::exception& error) {
        fmt::print(stderr, "fathom-large-run: {}\n", error.what());
        return 3;
    }
    return 0;
}
