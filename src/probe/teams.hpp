#pragma once

#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <mpi.h>

#include "probe/clock/synchroniser.hpp"
#include "probe/mpi/mpi_group.hpp"

namespace fathom::probe {

/// How the ranks of a communicator share this machine. Collective over it.
struct Oversubscription {
    int ranks_here = 1;     ///< of the communicator, on this machine
    bool here = false;      ///< more than processors that they may run on: oversubscribed
    bool anywhere = false;  ///< so on some machine
    static Oversubscription of(MPI_Comm communicator);
};

/// Ranks that measure together: our own messages, and a communicator for the measured operation alone. They
/// may do it in equal groups, which start together and each have a communicator.
class Team {
  public:
    /// Collective over `members`, which holds the job's `ranks` in this order, one group after the other.
    Team(MPI_Comm members, std::vector<int> ranks, int groups);
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;
    ~Team();

    [[nodiscard]] mpi::MpiGroup& group() { return group_; }
    /// Of this rank's group.
    [[nodiscard]] MPI_Comm measured() const { return measured_; }
    /// Of all groups, for what the library is to do before they start.
    [[nodiscard]] MPI_Comm joint() const { return joint_; }
    [[nodiscard]] int groups() const { return groups_; }
    [[nodiscard]] int ranks_in_group() const { return group_.size() / groups_; }
    /// The first rank of the team that is in this rank's group.
    [[nodiscard]] int first_of_group() const { return group_.rank() / ranks_in_group() * ranks_in_group(); }
    [[nodiscard]] const Oversubscription& oversubscription() const { return oversubscription_; }
    /// The hosts of its ranks, by number; found out when first needed. Collective over the team.
    const std::vector<int>& hosts();
    /// Those of a group, by its first rank. Collective over the team.
    std::vector<int> hosts_of_group(int first);
    /// The job's rank of a rank of the team.
    [[nodiscard]] int world_rank(int rank) const { return ranks_[static_cast<std::size_t>(rank)]; }

    /// Compares the clocks of the team alone; made when first needed. Collective over the team.
    Synchroniser& synchroniser(const Clock& clock, const ClockPlace& place, const SyncRules& rules);

  private:
    Oversubscription oversubscription_;
    mpi::MpiGroup group_;
    std::vector<int> ranks_;
    int groups_;
    std::vector<int> hosts_;
    MPI_Comm joint_ = MPI_COMM_NULL;
    MPI_Comm measured_ = MPI_COMM_NULL;
    std::optional<Synchroniser> synchroniser_;
};

/// The teams of a job, made when first needed and kept.
class Teams {
  public:
    /// These ranks of the job, in rising order; nothing on ranks that do not belong to it. Collective over
    /// the job.
    Team* of(const std::vector<int>& ranks) { return in_groups({ranks}); }
    /// The same in groups of one size, one after the other.
    Team* in_groups(const std::vector<std::vector<int>>& groups);

  private:
    std::map<std::vector<std::vector<int>>, std::unique_ptr<Team>> teams_;
};

}  // namespace fathom::probe
