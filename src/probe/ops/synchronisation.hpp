#pragma once

#include <memory>

#include <mpi.h>

#include "plan/operations.hpp"
#include "probe/mpi/check.hpp"
#include "probe/ops/rma.hpp"

/// The ways to open and close epochs of a window between two ranks.
namespace fathom::probe {

/// A window between two ranks, seen from one of them.
struct WindowOfTwo {
    MPI_Win window = MPI_WIN_NULL;
    MPI_Comm communicator = MPI_COMM_NULL;
    int own = 0;
    [[nodiscard]] int partner() const { return 1 - own; }
};

/// How origin and target keep in step. Each way has begin() and end() besides, for the origin before and
/// after a call. They are not virtual: a call may take 60 ns, and each indirect branch between the time
/// stamps added up to 17 ns to that.
class Synchronisation {
  public:
    Synchronisation(const Synchronisation&) = delete;
    Synchronisation& operator=(const Synchronisation&) = delete;
    virtual ~Synchronisation() = default;

    /// At the target meanwhile.
    virtual void serve() {}
    /// Around a rank's own loads and stores in its window.
    virtual void begin_local() {}
    virtual void end_local() {}

  protected:
    explicit Synchronisation(const WindowOfTwo& place) : place_(place) {}
    [[nodiscard]] const WindowOfTwo& place() const { return place_; }

  private:
    WindowOfTwo place_;
};

/// No assertions, as most programs have it: each fence ends one epoch and begins another.
class Fence final : public Synchronisation {
  public:
    explicit Fence(const WindowOfTwo& place) : Synchronisation(place) {}
    void begin() { FATHOM_MPI(MPI_Win_fence, 0, place().window); }
    void end() { FATHOM_MPI(MPI_Win_fence, 0, place().window); }
    void serve() override {
        begin();
        end();
    }
};

class PostStartCompleteWait final : public Synchronisation {
  public:
    explicit PostStartCompleteWait(const WindowOfTwo& place) : Synchronisation(place) {
        const int partner = place.partner();
        MPI_Group both = MPI_GROUP_NULL;
        FATHOM_MPI(MPI_Comm_group, place.communicator, &both);
        FATHOM_MPI(MPI_Group_incl, both, 1, &partner, &partner_);
        FATHOM_MPI(MPI_Group_free, &both);
    }
    ~PostStartCompleteWait() override { MPI_Group_free(&partner_); }
    void begin() { FATHOM_MPI(MPI_Win_start, partner_, 0, place().window); }
    void end() { FATHOM_MPI(MPI_Win_complete, place().window); }
    void serve() override {
        FATHOM_MPI(MPI_Win_post, partner_, 0, place().window);
        FATHOM_MPI(MPI_Win_wait, place().window);
    }

  private:
    MPI_Group partner_ = MPI_GROUP_NULL;
};

/// A shared lock, as programs take it where several origins work at once.
class Lock final : public Synchronisation {
  public:
    explicit Lock(const WindowOfTwo& place) : Synchronisation(place) {}
    void begin() { FATHOM_MPI(MPI_Win_lock, MPI_LOCK_SHARED, place().partner(), 0, place().window); }
    void end() { FATHOM_MPI(MPI_Win_unlock, place().partner(), place().window); }
    void begin_local() override {
        FATHOM_MPI(MPI_Win_lock, MPI_LOCK_EXCLUSIVE, place().own, 0, place().window);
    }
    void end_local() override { FATHOM_MPI(MPI_Win_unlock, place().own, place().window); }
};

/// One epoch for the operation's whole life.
class Flush final : public Synchronisation {
  public:
    explicit Flush(const WindowOfTwo& place) : Synchronisation(place) {
        FATHOM_MPI(MPI_Win_lock_all, 0, place.window);
    }
    ~Flush() override {
        if (others_are_there()) {
            MPI_Win_unlock_all(place().window);
        }
    }
    void begin() {}
    void end() { FATHOM_MPI(MPI_Win_flush, place().partner(), place().window); }
    void begin_local() override { FATHOM_MPI(MPI_Win_sync, place().window); }
    void end_local() override { FATHOM_MPI(MPI_Win_sync, place().window); }
};

std::unique_ptr<Synchronisation> make_synchronisation(plan::Synchronisation kind, const WindowOfTwo& place);

}  // namespace fathom::probe
