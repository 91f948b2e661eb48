#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "base/test_support.hpp"
#include "journal/samples.hpp"
#include "plan/plan.hpp"
#include "store/store.hpp"

namespace fathom::testing {

inline plan::PointSpec point_spec(int index, const std::string& operation, std::int64_t size, int procs = 2) {
    return {.index = index,
            .key = {.operation = operation,
                    .pattern = std::string(plan::find_operation(operation).pattern()),
                    .procs = procs,
                    .size = {size}}};
}

/// Samples of these durations, 1000 ns apart.
inline std::vector<journal::Sample> samples_of(const std::vector<std::int64_t>& durations_ns) {
    std::vector<journal::Sample> samples;
    std::int64_t start = 0;
    for (const auto duration : durations_ns) {
        samples.push_back({.start = {start += 1000}, .duration = {duration}, .valid = true});
    }
    return samples;
}

inline journal::SampleBlock block_of(int rank, std::int64_t first_rep,
                                     const std::vector<journal::Sample>& samples) {
    return {.point = 0,
            .rank = rank,
            .first_rep = first_rep,
            .count = static_cast<std::int64_t>(samples.size()),
            .data = journal::pack_samples(samples)};
}

/// How many samples blocks hold, of any kind.
template <typename Block>
std::int64_t count_in(const std::vector<Block>& blocks) {
    std::int64_t count = 0;
    for (const auto& block : blocks) {
        count += block.count;
    }
    return count;
}

/// A source of blocks for Store::put_point.
inline std::function<std::optional<journal::SampleBlock>()> source_of(
    std::vector<journal::SampleBlock> blocks) {
    return
        [blocks = std::move(blocks), at = std::size_t{0}]() mutable -> std::optional<journal::SampleBlock> {
            return at < blocks.size() ? std::optional(blocks[at++]) : std::nullopt;
        };
}

/// A store in a folder of its own with one run and one job of it.
class SampleStore {
  public:
    explicit SampleStore(const std::vector<plan::PointSpec>& points, const std::string& label = "sample",
                         const std::string& plan_toml = "reps = 5\n", int procs = 2)
        : store(store::Store::open_or_create(folder / "fathom.db")) {
        store::RunRow row;
        row.label = label;
        row.plan_toml = plan_toml;
        row.procs = procs;
        row.mpi_flavour = "openmpi";
        row.command_line = "fathom run";
        row.fathom_version = "0.1.0";
        row.fathom_commit = "abc";
        run = store.create_run(row, points);
        job = store.create_job(run, "mpirun -n 2", "/tmp/x.journal");
    }

    void put(int position, const std::vector<journal::SampleBlock>& blocks,
             journal::PointStatus status = journal::PointStatus::ok, const std::string& reason = "") {
        put({.index = position, .status = status, .reason = reason, .datatype = "float"}, blocks, job);
    }

    /// The same with all fields of a point, by some job of the run.
    void put(journal::PointEnd end, const std::vector<journal::SampleBlock>& blocks, std::int64_t by_job) {
        end.samples = count_in(blocks);
        store.put_point(run, by_job, end, source_of(blocks));
    }

    TempFolder folder;
    store::Store store;
    std::int64_t run = 0;
    std::int64_t job = 0;
};

}  // namespace fathom::testing
