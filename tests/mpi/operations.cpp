// Every operation of the registry on real ranks: the data check passes on what MPI did, and catches a call
// that was left out on one rank's buffer.
#include "plan/operations.hpp"

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "mpi/check.hpp"
#include "probe/mpi/byte_message.hpp"
#include "probe/mpi/check.hpp"
#include "probe/ops/registry.hpp"

using namespace fathom;

namespace {

constexpr std::uint64_t seed = 7;

/// Nothing where this library cannot have it.
std::unique_ptr<probe::Operation> make(const plan::OperationInfo& info, std::int64_t size,
                                       const test::Checks& checks, MPI_Comm communicator,
                                       std::int64_t region = 0, bool rotate_root = false) {
    try {
        return probe::make_operation(info.name, {.communicator = communicator,
                                                 .rank = checks.rank,
                                                 .procs = checks.size,
                                                 .size = {size},
                                                 .seed = seed,
                                                 .region = {region},
                                                 .rotate_root = rotate_root});
    } catch (const probe::mpi::Unavailable&) {
        return nullptr;
    }
}

bool persistent(const plan::OperationInfo& info) {
    return info.name.ends_with("_init");
}

/// MPICH 4.0 copies a rank's own block when a persistent gather is made, not when it is started: what its
/// persistent collectives give is wrong, and fathom says so. Asked of the library itself, without our code.
bool persistent_calls_work() {
#if MPI_VERSION >= 4
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int own = -1;
    std::vector<int> all(static_cast<std::size_t>(size), -1);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Gather_init(&own, 1, MPI_INT, all.data(), 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    own = rank;
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    int right = rank != 0 || all[0] == 0 ? 1 : 0;
    MPI_Bcast(&right, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return right != 0;
#else
    return true;
#endif
}

/// Whether a rank gets data that it has not had before the call.
bool receives(std::string_view name, int rank) {
    name.remove_prefix(name.starts_with('i') ? 1 : 0);
    name.remove_suffix(name.ends_with("_init") ? 5 : 0);
    const bool root_only = name == "gather" || name == "gatherv" || name == "reduce";
    const bool not_root = name == "bcast" || name == "exscan";
    return root_only ? rank == 0 : not_root ? rank != 0 : true;
}

/// Whether an operation can be made of exactly these ranks.
bool fits(const plan::OperationInfo& info, const test::Checks& checks) {
    if (persistent(info) && !checks.persistent_calls_work) {
        return false;
    }
    return checks.size >= info.min_procs() && (info.family != plan::Family::pair || checks.size == 2);
}

void data_is_right_after_the_call(test::Checks& checks, MPI_Comm communicator) {
    for (const auto& info : plan::operations()) {
        if (!fits(info, checks)) {
            continue;
        }
        for (const std::int64_t size : {0, 1, 3, 8, 1000, 100'000}) {
            const auto operation = make(info, size, checks, communicator);
            for (int rep = 0; operation && rep < 2; ++rep) {
                operation->prepare_check();
                operation->call();
                FATHOM_EXPECT(checks, operation->check().empty());
            }
        }
    }
}

void data_is_right_wherever_they_lie_and_whoever_is_root(test::Checks& checks, MPI_Comm communicator) {
    for (const auto& info : plan::operations()) {
        if (!fits(info, checks)) {
            continue;
        }
        for (const std::int64_t size : {1, 1000}) {
            for (const std::int64_t region : {0, 4'000}) {
                for (const bool rotate_root : {false, true}) {
                    const auto operation = make(info, size, checks, communicator, region, rotate_root);
                    for (int rep = 0; operation && rep < checks.size + 3; ++rep) {
                        operation->next();
                        operation->prepare_check();
                        operation->call();
                        FATHOM_EXPECT(checks, operation->check().empty());
                    }
                }
            }
        }
    }
}

void the_root_wanders_only_where_it_is_to(test::Checks& checks, MPI_Comm communicator) {
    const auto& bcast = plan::find_operation("bcast");
    const auto still = make(bcast, 64, checks, communicator);
    const auto wandering = make(bcast, 64, checks, communicator, 0, true);
    for (int rep = 0; rep < 2 * checks.size; ++rep) {
        // Before any call only the root has the right data.
        still->prepare_check();
        wandering->prepare_check();
        FATHOM_EXPECT(checks, still->check().empty() == (checks.rank == 0));
        FATHOM_EXPECT(checks, wandering->check().empty() == (checks.rank == rep % checks.size));
        still->next();
        wandering->next();
    }
}

void the_check_sees_data_that_did_not_come(test::Checks& checks, MPI_Comm communicator) {
    for (const auto& info : plan::operations()) {
        if (!info.sized || !fits(info, checks)) {
            continue;
        }
        const auto operation = make(info, 64, checks, communicator);
        if (operation) {
            operation->prepare_check();
            FATHOM_EXPECT(checks, operation->check().empty() != receives(info.name, checks.rank));
        }
    }
}

void sizes_beyond_two_gigabytes_are_cut_right(test::Checks& checks) {
    const std::int64_t size = (std::int64_t{5} << 30) + 3;
    const auto cut = probe::mpi::cut_bytes({size});
    FATHOM_EXPECT(checks, cut.block * cut.blocks + cut.rest == size);
    try {
        const probe::mpi::ByteMessage message({size});
        MPI_Count bytes = 0;
        FATHOM_MPI(MPI_Type_size_x, message.datatype(), &bytes);
        FATHOM_EXPECT(checks, static_cast<std::int64_t>(bytes) * message.count() == size);
    } catch (const probe::mpi::Unavailable&) {
        FATHOM_EXPECT(checks, probe::mpi::simulated);  // SimGrid says it cannot; real libraries can
    }
    const probe::mpi::ByteMessage edge({2147483647});
    FATHOM_EXPECT(checks, edge.count() == 2147483647);
}

}  // namespace

int main(int argc, char** argv) {
    return test::run_on_all_ranks(argc, argv, [](test::Checks& checks) {
        MPI_Comm communicator = MPI_COMM_NULL;
        FATHOM_MPI(MPI_Comm_dup, MPI_COMM_WORLD, &communicator);
        checks.persistent_calls_work = persistent_calls_work();
        if (!checks.persistent_calls_work && checks.rank == 0) {
            fmt::print("persistent collectives of this library give wrong data; they are left out\n");
        }
        data_is_right_after_the_call(checks, communicator);
        data_is_right_wherever_they_lie_and_whoever_is_root(checks, communicator);
        the_root_wanders_only_where_it_is_to(checks, communicator);
        the_check_sees_data_that_did_not_come(checks, communicator);
        sizes_beyond_two_gigabytes_are_cut_right(checks);
        FATHOM_MPI(MPI_Comm_free, &communicator);
    });
}
