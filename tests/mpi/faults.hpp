#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include <mpi.h>

#include "probe/mpi/check.hpp"
#include "probe/mpi/flavour.hpp"

/// Known bugs of MPI libraries, checked with the library itself, without our code. Tests skip
/// out.
namespace fathom::test {

inline constexpr std::int64_t even_window = 16;  // bytes

/// MPICH 4.0 copies a rank's own block when a persistent gather is made, not when it is started: what its
/// persistent collectives produce is wrong, and fathom reports it.
inline bool persistent_calls_work() {
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

/// MPICH 4.0 hands out other memory than the window has, where a rank's part of it is no multiple of 16 bytes
/// within a host: what is stored there does not arrive, and fathom reports it.
inline bool odd_windows_work() {
    void* base = nullptr;
    void* attribute = nullptr;
    int there = 0;
    MPI_Win window = MPI_WIN_NULL;
    MPI_Win_allocate(even_window / 2, 1, MPI_INFO_NULL, MPI_COMM_WORLD, static_cast<void*>(&base), &window);
    MPI_Win_get_attr(window, MPI_WIN_BASE, static_cast<void*>(&attribute), &there);
    const int mine = base == attribute ? 1 : 0;
    MPI_Win_free(&window);
    int all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return all != 0;
}

/// Where neighbours in a periodic grid are one rank, Open MPI 4.1 (non-blocking) and MPICH 4.0 (on one rank)
/// confuse blocks.
inline std::set<std::string, std::less<>> wrong_neighbours() {
    std::set<std::string, std::less<>> wrong;
    if constexpr (!probe::mpi::simulated) {
        int size = 0;
        FATHOM_MPI(MPI_Comm_size, MPI_COMM_WORLD, &size);
        std::array<int, 2> sides{};
        const std::array<int, 2> periodic{1, 1};
        MPI_Comm grid = MPI_COMM_NULL;
        FATHOM_MPI(MPI_Dims_create, size, 2, sides.data());
        FATHOM_MPI(MPI_Cart_create, MPI_COMM_WORLD, 2, sides.data(), periodic.data(), 0, &grid);
        const std::array<int, 4> sent{0, 1, 2, 3};
        std::array<int, 4> got{};
        const auto note = [&](const char* name) {
            const int mine = got == std::array<int, 4>{1, 0, 3, 2} ? 0 : 1;
            int anyone = 0;
            FATHOM_MPI(MPI_Allreduce, &mine, &anyone, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
            if (anyone != 0) {
                wrong.insert(name);
            }
        };
        FATHOM_MPI(MPI_Neighbor_alltoall, sent.data(), 1, MPI_INT, got.data(), 1, MPI_INT, grid);
        note("neighbor_alltoall");
        MPI_Request request = MPI_REQUEST_NULL;
        FATHOM_MPI(MPI_Ineighbor_alltoall, sent.data(), 1, MPI_INT, got.data(), 1, MPI_INT, grid, &request);
        FATHOM_MPI(MPI_Wait, &request, MPI_STATUS_IGNORE);
        note("ineighbor_alltoall");
        FATHOM_MPI(MPI_Comm_free, &grid);
    }
    return wrong;
}

}  // namespace fathom::test
