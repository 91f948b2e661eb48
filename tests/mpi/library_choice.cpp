// Algorithms that the library chooses among: each that it offers gives right data or is refused on all ranks
// alike, is really the one that is used, and leaves no trace.
#include "probe/mpi/library_choice.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <mpi.h>

#include "base/error.hpp"
#include "mpi/check.hpp"
#include "plan/operations.hpp"
#include "probe/mpi/check.hpp"
#include "probe/ops/registry.hpp"

using namespace fathom;
using probe::mpi::LibraryChoice;
using probe::mpi::simulated;
using test::Checks;

namespace {

/// Algorithms of SimGrid 3.32 that end the simulation, wait for ever or give wrong data for some number of
/// processes from 2 to 8; fathom reports such a point as failed.
constexpr auto broken = std::to_array<std::string_view>({
    "allgather 2dmesh",
    "allgather 3dmesh",
    "allgather pair",
    "allgather rhv",
    "allgatherv pair",
    "allreduce rab1",
    "allreduce smp_binomial_pipeline",
    "allreduce smp_rsag",
    "allreduce smp_rsag_lr",
    "allreduce smp_rsag_rab",
    "alltoall mpich",
    "alltoall pair",
    "alltoall pair_light_barrier",
    "alltoall pair_mpi_barrier",
    "alltoall pair_one_barrier",
    "alltoall pair_rma",
    "alltoallv ompi",
    "alltoallv pair",
    "alltoallv pair_light_barrier",
    "alltoallv pair_mpi_barrier",
    "alltoallv pair_one_barrier",
    "barrier ompi_two_procs",
    "bcast SMP_linear",
    "bcast arrival_pattern_aware",
    "bcast arrival_scatter",
    "bcast flattree_pipeline",
    "bcast impi",
    "bcast ompi_split_bintree",
    "reduce_scatter mpich_noncomm",
});

/// Whether all ranks had the same luck.
bool alike(bool mine) {
    const int own = mine ? 1 : 0;
    int all = 0;
    MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    int size = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return all == 0 || all == size;
}

enum class Outcome { right, wrong, refused };

Outcome performed(const plan::OperationInfo& info, LibraryChoice& choice, const Checks& checks,
                  std::int64_t bytes) {
    const auto operation = probe::make_operation(
        info.name,
        {.communicator = choice.communicator(), .rank = checks.rank, .procs = checks.size, .size = {bytes}});
    for (std::int64_t rep = 0; rep < 2; ++rep) {
        operation->next(rep);
        operation->prepare_check();
        try {
            choice.strictly([&] { operation->call(); });
        } catch (const probe::mpi::MpiError&) {
            return Outcome::refused;
        }
        if (!operation->check().empty()) {
            return Outcome::wrong;
        }
    }
    return Outcome::right;
}

void every_algorithm(Checks& checks) {
    // Ranks that share cores are slow, above all those of MPICH, which spin.
    const auto sizes = simulated || checks.size <= 2 ? std::vector<std::int64_t>{8, 1000, 40000}
                                                     : std::vector<std::int64_t>{1000};
    int chosen = 0;
    for (const auto& info : plan::operations()) {
        if (!plan::has_library_algorithms(info) || info.overlaps() || info.min_procs > checks.size) {
            continue;
        }
        for (const auto& algorithm : probe::mpi::library_offer(info).algorithms) {
            if (simulated &&
                std::ranges::find(broken, std::string(info.name) + " " + algorithm) != broken.end()) {
                continue;
            }
            for (const auto bytes : sizes) {
                MPI_Barrier(MPI_COMM_WORLD);
                auto choice = std::make_unique<LibraryChoice>(plan::LibraryAlgorithm{algorithm, {}}, info,
                                                              MPI_COMM_WORLD);
                const auto outcome = performed(info, *choice, checks, bytes);
                const auto what = std::string(info.name) + " by " + algorithm + ", " + std::to_string(bytes);
                checks.expect(outcome != Outcome::wrong, (what + ", gives right data").c_str(), __LINE__);
                checks.expect(alike(outcome == Outcome::refused), (what + ", is refused alike").c_str(),
                              __LINE__);
                MPI_Barrier(MPI_COMM_WORLD);
                choice.reset();
                MPI_Barrier(MPI_COMM_WORLD);
                ++chosen;
            }
        }
    }
    FATHOM_EXPECT(checks, chosen > 0);
}

/// Values that know how many combinations are on the longest way to them.
void deepest(void* in, void* out, int* count, MPI_Datatype* /*type*/) {
    const auto* const left = static_cast<const int*>(in);
    auto* const right = static_cast<int*>(out);
    for (int i = 0; i < *count; ++i) {
        right[i] = std::max(left[i], right[i]) + 1;
    }
}

int depth_by(const std::string& algorithm) {
    const auto& info = plan::find_operation("allreduce");
    MPI_Op op = MPI_OP_NULL;
    MPI_Op_create(deepest, 1, &op);
    int depth = -1;
    MPI_Barrier(MPI_COMM_WORLD);
    auto choice = algorithm.empty() ? nullptr
                                    : std::make_unique<LibraryChoice>(plan::LibraryAlgorithm{algorithm, {}},
                                                                      info, MPI_COMM_WORLD);
    const int zero = 0;
    MPI_Allreduce(&zero, &depth, 1, MPI_INT, op, choice ? choice->communicator() : MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    choice.reset();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Op_free(&op);
    return depth;
}

/// By what users' operations see: one rank after the other, or in pairs.
void is_the_one_that_is_used(Checks& checks) {
    if (checks.size != 4) {
        return;
    }
    using probe::mpi::flavour;
    const auto before = depth_by("");
    if (flavour == plan::Flavour::openmpi) {
        FATHOM_EXPECT(checks, depth_by("basic_linear") == 3);
        FATHOM_EXPECT(checks, depth_by("recursive_doubling") == 2);
    } else if (flavour == plan::Flavour::mpich) {
        FATHOM_EXPECT(checks, depth_by("recursive_doubling") == 2);
    } else if (simulated) {
        FATHOM_EXPECT(checks, depth_by("rdb") == 2);
        FATHOM_EXPECT(checks, depth_by("smp_binomial") >= 2);
    }
    FATHOM_EXPECT(checks, depth_by("") == before);
}

void what_is_not_there_is_refused(Checks& checks) {
    const auto& info = plan::find_operation("bcast");
    const auto refused = [&](const plan::LibraryAlgorithm& algorithm) {
        try {
            const LibraryChoice choice(algorithm, info, MPI_COMM_WORLD);
            return std::string();
        } catch (const Unavailable& error) {
            return std::string(error.what());
        }
    };
    const auto offer = probe::mpi::library_offer(info);
    FATHOM_EXPECT(checks, refused({"chian", {}}).find("no algorithm 'chian'") != std::string::npos);
    FATHOM_EXPECT(checks, refused({"auto", {}}).find("no algorithm 'auto'") != std::string::npos);
    FATHOM_EXPECT(checks,
                  refused({offer.algorithms.front(), {{"fanfare", "2"}}}).find("no parameter 'fanfare'") !=
                      std::string::npos);
    FATHOM_EXPECT(checks, !probe::mpi::library_offer(plan::find_operation("allreduce")).algorithms.empty());
}

void one_process_needs_none(Checks& checks) {
    bool refused = false;
    try {
        const LibraryChoice choice({"ring", {}}, plan::find_operation("allreduce"), MPI_COMM_WORLD);
    } catch (const Unavailable&) {
        refused = true;
    }
    FATHOM_EXPECT(checks, refused);
}

/// A parameter is set with the algorithm, and reset with it.
void parameters_are_restored(Checks& checks) {
    const auto& info = plan::find_operation("bcast");
    using probe::mpi::ControlVariables;
    using probe::mpi::flavour;
    if (flavour == plan::Flavour::openmpi) {
        const std::string variable = "coll_tuned_bcast_algorithm_segmentsize";
        const auto before = ControlVariables::text(variable);
        {
            const LibraryChoice choice({"pipeline", {{"segmentsize", "4096"}}}, info, MPI_COMM_WORLD);
            FATHOM_EXPECT(checks, ControlVariables::text(variable) == "4096");
            FATHOM_EXPECT(checks, ControlVariables::text("coll_tuned_bcast_algorithm") == "3");
        }
        FATHOM_EXPECT(checks, ControlVariables::text(variable) == before);
        FATHOM_EXPECT(checks, ControlVariables::text("coll_tuned_bcast_algorithm") == "0");
    } else if (flavour == plan::Flavour::mpich) {
        {
            const LibraryChoice choice({"binomial", {{"short_msg_size", "100"}}}, info, MPI_COMM_WORLD);
            FATHOM_EXPECT(checks, ControlVariables::text("MPIR_CVAR_BCAST_SHORT_MSG_SIZE") == "100");
            FATHOM_EXPECT(checks, ControlVariables::text("MPIR_CVAR_BCAST_INTRA_ALGORITHM") == "1");
        }
        FATHOM_EXPECT(checks, ControlVariables::text("MPIR_CVAR_BCAST_INTRA_ALGORITHM") == "0");
        FATHOM_EXPECT(checks, ControlVariables::text("MPIR_CVAR_BCAST_SHORT_MSG_SIZE") == "12288");
    }
}

}  // namespace

int main(int argc, char** argv) {
    return test::run_on_all_ranks(argc, argv, [](Checks& checks) {
        if (checks.size == 1) {
            one_process_needs_none(checks);
            return;
        }
        what_is_not_there_is_refused(checks);
        parameters_are_restored(checks);
        is_the_one_that_is_used(checks);
        every_algorithm(checks);
    });
}
