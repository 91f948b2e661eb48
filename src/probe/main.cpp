#include <csignal>
#include <cstdio>
#include <exception>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mpi.h>

#include "base/build_info.hpp"
#include "base/error.hpp"
#include "journal/library_offers.hpp"
#include "machine/host_cores.hpp"
#include "plan/operations.hpp"
#include "probe/mpi/ending.hpp"
#include "probe/mpi/flavour.hpp"
#include "probe/mpi/library_choice.hpp"
#include "probe/mpi/thread_level.hpp"
#include "probe/session.hpp"

namespace {

using namespace fathom;

constexpr const char* usage =
    "Usage: LAUNCHER fathom-probe-{0} PLAN.toml [--thread-level LEVEL]\nMeasures what PLAN.toml specifies "
    "(see docs/plans.md) and "
    "writes PLAN.toml.journal.\n'fathom run' starts it for you; in a batch script:\n  srun -n 64 "
    "fathom-probe-{0} night.toml\n  fathom run --collect night.toml.journal\n";

/// What the library offers, on one line.
void print_offers() {
    plan::OfferedLibrary library{.version = probe::mpi::library_version(),
                                 .file = probe::mpi::library_file()};
    for (const auto& operation : plan::operations()) {
        if (plan::has_library_algorithms(operation)) {
            library.operations[std::string(operation.name)] = probe::mpi::library_offer(operation);
        }
    }
    library.protocol = probe::mpi::offered_protocol();
    library.rule_files = probe::mpi::rule_files_in_force();
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        fmt::print(stdout, "{}\n", journal::offers_line(library));
    }
}

/// The thread level that the command line asks for; nothing if it is wrong. It has to be known before the
/// plan can be read, which only rank 0 may see.
std::optional<plan::ThreadLevel> requested_level(int argc, const char* const* argv) {
    if (argc == 2) {
        return plan::ThreadLevel::single;
    }
    constexpr int with_level = 4;
    return argc == with_level && plan::thread_level_option == argv[2]
               ? from_text<plan::ThreadLevel>(argv[with_level - 1])
               : std::nullopt;
}

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
    const auto level = requested_level(argc, argv);
    probe::mpi::initialise(argc, argv, level.value_or(plan::ThreadLevel::single));
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    try {
        if (!level) {
            throw BadInput(fmt::format("give one plan file, and {} {} if it needs that",
                                       plan::thread_level_option,
                                       fmt::join(names_of<plan::ThreadLevel>, "|")));
        }
        if (journal::offers_option == argv[1]) {
            print_offers();
        } else {
            probe::run_session(argv[1], *level);
        }
    } catch (const std::exception& error) {
        probe::mpi::abort_job(error);
    }
    probe::mpi::finalize();
    return 0;
}
