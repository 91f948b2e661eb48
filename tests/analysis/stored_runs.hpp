#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "store/sample_store.hpp"

namespace fathom::testing {

/// What one launch measured of a point, on one rank.
struct StoredLaunch {
    std::vector<std::int64_t> times_ns = {};
    std::size_t disturbed = 0;  ///< of the first so many, with the rank preempted meanwhile
    bool failed = false;
};

/// A result file with runs of one process, whose clock is its own.
class StoredRuns {
  public:
    StoredRuns() : store(store::Store::open_or_create(folder / "fathom.db")) {}

    /// A finished run of one operation at these sizes, from 8 B on: for each the launches. Jobs of all runs
    /// are numbered as they are begun; a run that takes turns with another is begun by open() and measured by
    /// launch().
    std::int64_t add(const std::vector<std::vector<StoredLaunch>>& points, const std::string& plan_toml = "",
                     const std::string& version = "Open MPI 4.1.4") {
        auto transaction = store.transaction();
        const auto run = open(points.size(), plan_toml);
        for (std::size_t launch = 0; launch < points.front().size(); ++launch) {
            std::vector<StoredLaunch> of_launch;
            for (const auto& point : points) {
                of_launch.push_back(point.at(launch));
            }
            this->launch(run, static_cast<int>(launch), of_launch, version);
        }
        store.set_run_status(run, store::RunStatus::done);
        transaction.commit();
        return run;
    }

    std::int64_t open(std::size_t points, const std::string& plan_toml = "") {
        store::RunRow row;
        row.plan_toml = plan_toml;
        row.origin = origin;
        row.in_turn_with = in_turn_with;
        row.procs = 1;
        row.mpi_flavour = "openmpi";
        row.fathom_version = "0.1.0";
        return store.create_run(row, specs(points, 0));
    }

    /// One more launch, of every point.
    void launch(std::int64_t run, int number, const std::vector<StoredLaunch>& points,
                const std::string& version = "Open MPI 4.1.4") {
        const auto first = number * static_cast<int>(points.size());
        if (number > 0) {
            store.add_points(run, number, specs(points.size(), first));
        }
        const auto job = store.create_job(run, "mpirun -n 1", "");
        journal::JobInfo info;
        info.procs = 1;
        info.mpi_flavour = "openmpi";
        info.mpi_version = version;
        store.put(job, info);
        for (std::size_t i = 0; i < points.size(); ++i) {
            put(run, job, first + static_cast<int>(i), points[i]);
        }
        store.end_job(job, "");
    }

    [[nodiscard]] store::RunRow row(std::int64_t run) const { return store.find_run(std::to_string(run)); }

    TempFolder folder;
    store::Store store;
    store::RunOrigin origin = store::RunOrigin::user;  ///< of the runs that are opened from here on
    std::optional<std::int64_t> in_turn_with = {};     ///< the same

  private:
    static std::vector<plan::PointSpec> specs(std::size_t points, int first) {
        std::vector<plan::PointSpec> found;
        for (std::size_t i = 0; i < points; ++i) {
            found.push_back(point_spec(first + static_cast<int>(i), "bcast", std::int64_t{8} << i, 1));
        }
        return found;
    }

    void put(std::int64_t run, std::int64_t job, int position, const StoredLaunch& launch) {
        journal::PointEnd end{.index = position, .datatype = "byte"};
        if (launch.failed) {
            end.status = journal::PointStatus::failed;
            end.reason = "rank 0 died";
            store.put_point(run, job, end, source_of({}));
            return;
        }
        constexpr std::int64_t apart_ns = 1'000'000;
        std::vector<journal::Sample> samples;
        for (const auto time : launch.times_ns) {
            const auto start = static_cast<std::int64_t>(samples.size() + 1) * apart_ns;
            samples.push_back({.start = {start}, .duration = {time}, .valid = true});
        }
        std::vector<journal::Disturbance> disturbances;
        if (launch.disturbed > 0) {
            const auto until = static_cast<std::int64_t>(launch.disturbed) * apart_ns + apart_ns / 2;
            disturbances.push_back(
                {.point = position, .rank = 0, .begin_ns = 1, .end_ns = until, .waited_ns = until});
        }
        const std::vector<journal::SampleBlock> blocks{block_of(0, 0, samples)};
        end.status = journal::PointStatus::ok;
        end.samples = count_in(blocks);
        store.put_point(run, job, end, source_of(blocks), {.disturbances = disturbances});
    }
};

/// So many times around a median, no two alike, the middle one exact.
inline std::vector<std::int64_t> times_around(std::int64_t median_ns, int count = 41) {
    std::vector<std::int64_t> times;
    for (int i = 0; i < count; ++i) {
        // A permutation of -count/2 to count/2: neighbours are no alike.
        times.push_back(median_ns + (i * 17) % count - count / 2);
    }
    return times;
}

}  // namespace fathom::testing
