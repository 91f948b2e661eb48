#include "collectives/host_memory.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <sched.h>
#include <string_view>

#include "collectives/mpi_failure.hpp"
#include "collectives/shared_ring.hpp"
#include "collectives/simulation.hpp"

namespace fathom::collectives {
namespace {

int rank_in(MPI_Comm communicator) {
    int rank = 0;
    checked(MPI_Comm_rank(communicator, &rank));
    return rank;
}

std::size_t size_of(MPI_Comm communicator) {
    int size = 0;
    checked(MPI_Comm_size(communicator, &size));
    return static_cast<std::size_t>(size);
}

/// The value of every rank. Not MPI_Allgather: simulating SimGrid's takes minutes with a thousand ranks.
template <class Value>
std::vector<Value> of_all(Value value, MPI_Datatype type, MPI_Comm communicator) {
    std::vector<Value> values(size_of(communicator));
    checked(MPI_Gather(&value, 1, type, values.data(), 1, type, 0, communicator));
    checked(MPI_Bcast(values.data(), static_cast<int>(values.size()), type, 0, communicator));
    return values;
}

/// Simulated hosts are told apart by name: a number that is the same for the same name (FNV-1a).
[[maybe_unused]] std::uint64_t name_number() {
    std::array<char, MPI_MAX_PROCESSOR_NAME + 1> name{};
    int length = 0;
    checked(MPI_Get_processor_name(name.data(), &length));
    std::uint64_t number = 0xcbf29ce484222325;
    for (const char letter : std::string_view(name.data(), static_cast<std::size_t>(length))) {
        number = (number ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
    }
    return number;
}

/// Whether threads of the host have to share cores: of those that any rank may use, which is often one for
/// each rank, or of those that their own rank may use.
bool shares_cores(MPI_Comm host, int threads) {
    cpu_set_t mine;
    CPU_ZERO(&mine);
    if (sched_getaffinity(0, sizeof mine, &mine) != 0) {
        CPU_SET(0, &mine);
    }
    cpu_set_t all;
    CPU_ZERO(&all);
    checked(MPI_Allreduce(&mine, &all, static_cast<int>(sizeof mine), MPI_BYTE, MPI_BOR, host));
    int all_threads = 0;
    checked(MPI_Allreduce(&threads, &all_threads, 1, MPI_INT, MPI_SUM, host));
    const int narrow = threads > CPU_COUNT(&mine) ? 1 : 0;
    int any_narrow = 0;
    checked(MPI_Allreduce(&narrow, &any_narrow, 1, MPI_INT, MPI_MAX, host));
    return all_threads > CPU_COUNT(&all) || any_narrow != 0;
}

}  // namespace

HostMemory::HostMemory(MPI_Comm communicator, int threads) : communicator_(communicator) {
    if constexpr (simulated) {
        const auto numbers = of_all(name_number(), MPI_UINT64_T, communicator);
        for (const auto number : numbers) {
            host_of_.push_back(
                static_cast<int>(std::find(numbers.begin(), numbers.end(), number) - numbers.begin()));
        }
        return;
    }
    const int rank = rank_in(communicator);
    checked(MPI_Comm_split_type(communicator, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &host_));
    ranks_here_ = of_all(rank, MPI_INT, host_);
    host_of_ = of_all(ranks_here_.front(), MPI_INT, communicator);
    crowded_ = shares_cores(host_, threads);
}

HostMemory::~HostMemory() {
    if (window_ != MPI_WIN_NULL) {
        MPI_Win_unlock_all(window_);
        MPI_Win_free(&window_);
    }
    if (host_ != MPI_COMM_NULL) {
        MPI_Comm_free(&host_);
    }
}

void HostMemory::share(std::span<const std::size_t> bytes) {
    // Windows begin on a line of 64 bytes or better, so the first whole line of ours is found again by
    // others.
    const auto own = bytes[static_cast<std::size_t>(rank_in(communicator_))] + line_bytes;
    void* begin = nullptr;
    checked(MPI_Win_allocate_shared(static_cast<MPI_Aint>(own), 1, MPI_INFO_NULL, host_,
                                    static_cast<void*>(&begin), &window_));
    checked(MPI_Win_lock_all(MPI_MODE_NOCHECK, window_));
    memory_.assign(bytes.size(), nullptr);
    for (std::size_t i = 0; i < ranks_here_.size(); ++i) {
        MPI_Aint size = 0;
        int unit = 0;
        checked(MPI_Win_shared_query(window_, static_cast<int>(i), &size, &unit, static_cast<void*>(&begin)));
        const auto address = reinterpret_cast<std::uintptr_t>(begin);
        memory_[static_cast<std::size_t>(ranks_here_[i])] =
            static_cast<std::byte*>(begin) + (whole_lines(address) - address);
    }
}

void HostMemory::meet() const {
    if (host_ != MPI_COMM_NULL) {
        checked(MPI_Barrier(host_));
    }
}

}  // namespace fathom::collectives
