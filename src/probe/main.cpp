#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string_view>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>
#include <mpi.h>

#include "base/build_info.hpp"
#include "base/error.hpp"
#include "probe/mpi/flavour.hpp"
#include "probe/session.hpp"

namespace {

using namespace fathom;

constexpr const char* usage =
    "Usage: LAUNCHER fathom-probe-{0} PLAN.toml\n"
    "Measures what PLAN.toml asks for (see docs/plans.md) and writes PLAN.toml.journal.\n"
    "'fathom run' starts it for you; in a batch script:\n"
    "  srun -n 64 fathom-probe-{0} night.toml\n"
    "  fathom run --collect night.toml.journal\n";

#ifndef FATHOM_SIMULATED
/// Ends the process if MPI_Finalize does not: MPICH 4.0 over UCX and TCP hangs there now and then with three
/// ranks or more. All results are in the journal by then.
void finalize() {
    constexpr unsigned patience_s = 5;
    std::signal(SIGALRM, [](int) { ::_exit(0); });
    ::alarm(patience_s);
    MPI_Finalize();
    ::alarm(0);
}

/// Launchers pass stderr on at their own pace, and MPICH's drops what it has not passed on when the job is
/// aborted.
void leave_time_for_last_words() {
    constexpr std::chrono::milliseconds enough{200};
    std::this_thread::sleep_for(enough);
}
#else
void finalize() {
    MPI_Finalize();
}

void leave_time_for_last_words() {}
#endif

}  // namespace

int main(int argc, char** argv) {
    if (argc == 2 && (std::string_view(argv[1]) == "--help" || std::string_view(argv[1]) == "--version")) {
        fmt::print(stdout, "fathom-probe-{} {}\n", to_text(probe::mpi::flavour), build_info().version);
        if (std::string_view(argv[1]) == "--help") {
            fmt::print(stdout, usage, to_text(probe::mpi::flavour));
        }
        return 0;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    try {
        if (argc != 2) {
            throw BadInput("give one plan file");
        }
        probe::run_session(argv[1]);
    } catch (const std::exception& error) {
        // One line that the supervisor looks for; the other ranks may be anywhere, so the job ends here.
        fmt::print(stderr, "fathom-probe: rank {} on {}: {}\n", rank, probe::mpi::processor_name(),
                   error.what());
        std::fflush(stderr);
        leave_time_for_last_words();
        MPI_Abort(MPI_COMM_WORLD, static_cast<int>(ExitStatus::not_measured));
    }
    finalize();
    return 0;
}
