#include "probe/mpi/ending.hpp"

#include <chrono>
#include <cstdio>
#include <future>
#include <string>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>
#include <mpi.h>

#include "base/error.hpp"
#include "machine/counters.hpp"
#include "probe/mpi/flavour.hpp"

namespace fathom::probe::mpi {
namespace {

constexpr std::chrono::seconds patience{5};

/// `rank 3 on c1`.
std::string this_rank() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return fmt::format("rank {} on {}", rank, processor_name());
}

/// One line that the supervisor looks for.
void say_last_words(const std::string& rank, const std::string& sentence) {
    fmt::print(stderr, "fathom-probe: {}: {}\n", rank, sentence);
    std::fflush(stderr);
    if constexpr (!simulated) {
        // Launchers pass stderr on at their own pace, and MPICH's drops what it has not passed on when the
        // job is aborted.
        constexpr std::chrono::milliseconds enough{200};
        std::this_thread::sleep_for(enough);
    }
}

/// Whether this is MPICH over UCX, and has sent messages over TCP.
bool finalize_may_hang() {
    return !simulated && library_version().find("ch4:ucx") != std::string::npos && machine::smallest_rto();
}

}  // namespace

void finalize() {
    if (!finalize_may_hang()) {
        MPI_Finalize();
        return;
    }
    std::promise<void> returned;
    std::thread escape([rank = this_rank(), over = returned.get_future()] {
        if (over.wait_for(patience) == std::future_status::timeout) {
            say_last_words(rank, fmt::format("MPI_Finalize of MPICH over UCX and TCP did not return within "
                                             "{} s, so the process ended without it",
                                             patience.count()));
            ::_exit(0);
        }
    });
    MPI_Finalize();
    returned.set_value();
    escape.join();
}

void abort_job(const std::exception& error) {
    const auto* const known = dynamic_cast<const Error*>(&error);
    const auto category = known != nullptr ? known->category() : ErrorCategory::unexpected;
    say_last_words(this_rank(), error.what());
    MPI_Abort(MPI_COMM_WORLD, static_cast<int>(exit_status_of(category)));
}

}  // namespace fathom::probe::mpi
