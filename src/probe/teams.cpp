#include "probe/teams.hpp"

#include <algorithm>
#include <numeric>

#include "probe/mpi/check.hpp"

namespace fathom::probe {

Team::Team(MPI_Comm members, std::vector<int> ranks, bool yielding)
    : group_(members, yielding), ranks_(std::move(ranks)) {
    FATHOM_MPI(MPI_Comm_dup, members, &measured_);
    FATHOM_MPI(MPI_Comm_set_errhandler, measured_, MPI_ERRORS_RETURN);
}

Team::~Team() {
    MPI_Comm_free(&measured_);
}

Synchroniser& Team::synchroniser(const Clock& clock, const ClockPlace& place, const SyncRules& rules) {
    if (!synchroniser_) {
        synchroniser_.emplace(group_, clock, place, rules);
    }
    return *synchroniser_;
}

Team* Teams::of(int procs, bool pair) {
    const auto [at, is_new] = teams_.try_emplace({procs, pair});
    if (!is_new) {
        return at->second.get();
    }
    std::vector<int> ranks(static_cast<std::size_t>(procs));
    std::iota(ranks.begin(), ranks.end(), 0);
    if (pair) {
        ranks = {0, procs - 1};
    }
    int rank = 0;
    FATHOM_MPI(MPI_Comm_rank, MPI_COMM_WORLD, &rank);
    const bool member = std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
    MPI_Comm members = MPI_COMM_NULL;
    FATHOM_MPI(MPI_Comm_split, MPI_COMM_WORLD, member ? 0 : MPI_UNDEFINED, rank, &members);
    if (member) {
        at->second = std::make_unique<Team>(members, std::move(ranks), yielding_);
        FATHOM_MPI(MPI_Comm_free, &members);
    }
    return at->second.get();
}

}  // namespace fathom::probe
