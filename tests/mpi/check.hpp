#pragma once

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>

#include <fmt/format.h>
#include <mpi.h>

#include "probe/mpi/flavour.hpp"
#include "probe/mpi/thread_level.hpp"

/// A test program for many ranks. GoogleTest keeps its state in globals, which simulated ranks would share,
/// so checks are counted in an object of each rank instead.
namespace fathom::test {

class Checks {
  public:
    void expect(bool holds, const char* what, int line) {
        if (!holds) {
            ++failures_;
            fmt::print(stderr, "rank {}: line {}: {} does not hold\n", rank, line, what);
        }
    }
    [[nodiscard]] int failures() const { return failures_; }

    int rank = 0;
    int size = 1;
    bool persistent_calls_work = true;  ///< where the library has any

  private:
    int failures_ = 0;
};

/// Runs the body between MPI_Init and MPI_Finalize; the status is 0 only if nothing failed on any rank.
/// MPI is initialised as for ordinary points, unless the test says otherwise.
inline int run_on_all_ranks(int argc, char** argv, const std::function<void(Checks&)>& body,
                            plan::ThreadLevel level = plan::ThreadLevel::single) {
    probe::mpi::initialise(argc, argv, level);
    Checks checks;
    MPI_Comm_rank(MPI_COMM_WORLD, &checks.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &checks.size);
    try {
        body(checks);
    } catch (const std::exception& error) {
        fmt::print(stderr, "rank {}: {}\n", checks.rank, error.what());
        if constexpr (probe::mpi::simulated) {
            std::_Exit(1);  // after MPI_Abort smpirun would end as if all were well
        }
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    int mine = checks.failures();
    int all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return all == 0 ? 0 : 1;
}

}  // namespace fathom::test

#define FATHOM_EXPECT(checks, condition) (checks).expect((condition), #condition, __LINE__)
