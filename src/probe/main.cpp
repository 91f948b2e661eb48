#include <csignal>
#include <cstdio>
#include <exception>
#include <string_view>

#include <fmt/format.h>
#include <mpi.h>

#include "base/build_info.hpp"
#include "base/error.hpp"
#include "machine/host_cores.hpp"
#include "probe/mpi/ending.hpp"
#include "probe/mpi/flavour.hpp"
#include "probe/session.hpp"

namespace {

using namespace fathom;

constexpr const char* usage =
    "Usage: LAUNCHER fathom-probe-{0} PLAN.toml\nMeasures what PLAN.toml specifies (see docs/plans.md) and "
    "writes PLAN.toml.journal.\n'fathom run' starts it for you; in a batch script:\n  srun -n 64 "
    "fathom-probe-{0} night.toml\n  fathom run --collect night.toml.journal\n";

}  // namespace

int main(int argc, char** argv) {
    if (argc == 2 && (std::string_view(argv[1]) == "--help" || std::string_view(argv[1]) == "--version")) {
        fmt::print(stdout, "fathom-probe-{} {}\n", to_text(probe::mpi::flavour), build_info().version);
        if (std::string_view(argv[1]) == "--help") {
            fmt::print(stdout, usage, to_text(probe::mpi::flavour));
        }
        return 0;
    }
    if (argc == 2 && machine::cores_option == argv[1]) {
        fmt::print(stdout, "{}\n", machine::cores_line());
        return 0;
    }
    std::signal(SIGXFSZ, SIG_IGN);  // a journal that may not grow (ulimit -f) is an error of write()
    int level = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);  // trees may have leaves for threads
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    try {
        if (argc != 2) {
            throw BadInput("give one plan file");
        }
        probe::run_session(argv[1]);
    } catch (const std::exception& error) {
        probe::mpi::abort_job(error);
    }
    probe::mpi::finalize();
    return 0;
}
