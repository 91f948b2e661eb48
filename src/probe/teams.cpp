#include "probe/teams.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <unistd.h>

#include "machine/facts.hpp"
#include "plan/pairing.hpp"
#include "probe/clock/identity.hpp"
#include "probe/mpi/check.hpp"
#include "probe/mpi/flavour.hpp"

namespace fathom::probe {

namespace {

/// Processors that the ranks of a machine may run on, all together. Collective over them.
int processors_of_all(MPI_Comm here) {
    constexpr std::size_t bits = 64;
    constexpr std::size_t words = 256;  // 16384 processors: twice what Linux can be built for
    std::array<std::uint64_t, words> allowed{};
    for (const auto processor : machine::processor_set(machine::binding())) {
        const auto place = static_cast<std::size_t>(processor);
        if (place < bits * words) {
            allowed[place / bits] |= std::uint64_t{1} << place % bits;
        }
    }
    FATHOM_MPI(MPI_Allreduce, MPI_IN_PLACE, allowed.data(), words, MPI_UINT64_T, MPI_BOR, here);
    int count = 0;
    for (const auto word : allowed) {
        count += std::popcount(word);
    }
    return count > 0 ? count : static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
}

}  // namespace

/// Containers with names of their own still share the kernel that was booted, and its processors. Those that
/// a batch system or a launcher withholds do not count.
Oversubscription Oversubscription::of(MPI_Comm communicator) {
    int size = 0;
    FATHOM_MPI(MPI_Comm_size, communicator, &size);
    if constexpr (mpi::simulated) {
        return {.ranks_here = size};
    }
    const auto mine = number_of(machine::boot_id());
    std::vector<std::int64_t> all(static_cast<std::size_t>(size));
    FATHOM_MPI(MPI_Allgather, &mine, 1, MPI_INT64_T, all.data(), 1, MPI_INT64_T, communicator);
    Oversubscription oversubscription{.ranks_here =
                                          static_cast<int>(std::count(all.begin(), all.end(), mine))};
    const auto first_here = std::find(all.begin(), all.end(), mine) - all.begin();
    MPI_Comm here = MPI_COMM_NULL;
    FATHOM_MPI(MPI_Comm_split, communicator, static_cast<int>(first_here), 0, &here);
    oversubscription.here = oversubscription.ranks_here > processors_of_all(here);
    FATHOM_MPI(MPI_Comm_free, &here);
    const int own = oversubscription.here ? 1 : 0;
    int largest = 0;
    FATHOM_MPI(MPI_Allreduce, &own, &largest, 1, MPI_INT, MPI_MAX, communicator);
    oversubscription.anywhere = largest != 0;
    return oversubscription;
}

Team::Team(MPI_Comm members, std::vector<int> ranks, int groups)
    : oversubscription_(Oversubscription::of(members)),
      group_(members, oversubscription_.here),
      ranks_(std::move(ranks)),
      groups_(groups) {
    FATHOM_MPI(MPI_Comm_dup, members, &joint_);
    FATHOM_MPI(MPI_Comm_set_errhandler, joint_, MPI_ERRORS_RETURN);
    measured_ = joint_;
    if (groups_ > 1) {
        FATHOM_MPI(MPI_Comm_split, joint_, first_of_group(), group_.rank(), &measured_);
        FATHOM_MPI(MPI_Comm_set_errhandler, measured_, MPI_ERRORS_RETURN);
    }
}

Team::~Team() {
    if (groups_ > 1) {
        MPI_Comm_free(&measured_);
    }
    MPI_Comm_free(&joint_);
}

Synchroniser& Team::synchroniser(const Clock& clock, const ClockPlace& place, const SyncRules& rules) {
    if (!synchroniser_) {
        synchroniser_.emplace(group_, clock, place, rules);
    }
    return *synchroniser_;
}

const std::vector<int>& Team::hosts() {
    if (hosts_.empty()) {
        hosts_ = plan::host_numbers(group_.all(number_of(mpi::processor_name())));
    }
    return hosts_;
}

std::vector<int> Team::hosts_of_group(int first) {
    const auto begin = hosts().begin() + first;
    return {begin, begin + ranks_in_group()};
}

Team* Teams::in_groups(const std::vector<std::vector<int>>& groups) {
    const auto [at, is_new] = teams_.try_emplace(groups);
    if (!is_new) {
        return at->second.get();
    }
    std::vector<int> ranks;
    for (const auto& group : groups) {
        ranks.insert(ranks.end(), group.begin(), group.end());
    }
    int rank = 0;
    FATHOM_MPI(MPI_Comm_rank, MPI_COMM_WORLD, &rank);
    const bool member = std::binary_search(ranks.begin(), ranks.end(), rank);
    MPI_Comm members = MPI_COMM_NULL;
    FATHOM_MPI(MPI_Comm_split, MPI_COMM_WORLD, member ? 0 : MPI_UNDEFINED, rank, &members);
    if (member) {
        at->second = std::make_unique<Team>(members, ranks, static_cast<int>(groups.size()));
        FATHOM_MPI(MPI_Comm_free, &members);
    }
    return at->second.get();
}

}  // namespace fathom::probe
