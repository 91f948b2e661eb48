#pragma once

#include <functional>

#include "clock/model.hpp"
#include "journal/journal.hpp"
#include "probe/clock/synchroniser.hpp"

namespace fathom::probe {

/// Keeps one rank's view of the global clock through a job, and the journal's record of it.
class ClockKeeper {
  public:
    /// Only rank 0 has a journal.
    explicit ClockKeeper(journal::Writer* journal) : journal_(journal) {}

    /// Synchronises all ranks of the job and updates the model. Collective.
    void synchronise(Synchroniser& world);

    /// The same for a group of some of them, which has the job's rank 0 as its own. `world_rank` gives the
    /// job's rank of a rank of the group. Collective over it.
    void synchronise_some(Synchroniser& some, const std::function<int(int)>& world_rank);

    /// Synchronises and records, but leaves the model as it is: to test it.
    void verify(Synchroniser& synchroniser);

    /// All ranks have one clock by construction, as in simulation.
    void set_shared() {
        model_.set_shared();
        all_shared_ = true;
    }

    [[nodiscard]] const clock::DriftModel& model() const { return model_; }
    /// The largest error of the model now: that of its last synchronisation and its own uncertainty.
    [[nodiscard]] Nanoseconds claimed_error(Nanoseconds own) const;
    /// Whether all ranks of the job share one clock, so that nothing can drift.
    [[nodiscard]] bool all_shared() const { return all_shared_; }
    /// Whether some rank of the group is uncertain of the global clock by more than this. Collective.
    bool unsure(Group& group, const Clock& clock, Nanoseconds budget) const;

    /// Number of the next synchronisation.
    [[nodiscard]] int next_sync() const { return next_sync_; }

  private:
    void take(const SyncResult& result);
    void record(Group& group, const SyncResult& own, clock::Scheme scheme,
                const std::function<int(int)>& world_rank, bool test);

    journal::Writer* journal_;
    clock::DriftModel model_;
    SyncResult last_;
    bool all_shared_ = false;
    int next_sync_ = 0;
};

}  // namespace fathom::probe
