#include "probe/clock/keeper.hpp"

#include <cmath>

#include <fmt/format.h>

#include "base/error.hpp"
#include "journal/clock_link.hpp"

namespace fathom::probe {
namespace {

/// Enough for a rank to finish any synchronisation.
constexpr Nanoseconds report_within{60'000'000'000};

journal::ClockSync record_of(int number, int rank, const SyncResult& result, clock::Scheme scheme,
                             bool test) {
    journal::ClockSync sync;
    sync.sync = number;
    sync.rank = rank;
    journal::set_link(sync, result.link);
    sync.round_trip_ns = result.round_trip.count;
    sync.pings = result.pings;
    sync.shared = result.shared;
    sync.cost_ns = result.cost.count;
    sync.scheme = to_text(scheme);
    sync.test = test;
    return sync;
}

}  // namespace

void ClockKeeper::take(const SyncResult& result) {
    last_ = result;
    if (last_.shared) {
        model_.set_shared();
    }
    model_.add(last_.link);
}

void ClockKeeper::synchronise(Synchroniser& world) {
    take(world.synchronise());
    all_shared_ = world.group().largest(last_.shared ? 0 : 1) == 0;
    record(
        world.group(), last_, world.scheme(), [](int rank) { return rank; }, false);
}

void ClockKeeper::synchronise_some(Synchroniser& some, const std::function<int(int)>& world_rank) {
    take(some.synchronise());
    record(some.group(), last_, some.scheme(), world_rank, false);
}

void ClockKeeper::verify(Synchroniser& synchroniser) {
    const auto result = synchroniser.synchronise();
    record(
        synchroniser.group(), result, synchroniser.scheme(), [](int rank) { return rank; }, true);
}

void ClockKeeper::record(Group& group, const SyncResult& own, clock::Scheme scheme,
                         const std::function<int(int)>& world_rank, bool test) {
    const int sync = next_sync_++;
    if (group.rank() != 0) {
        send_value(group, 0, own);
        return;
    }
    journal_->write(record_of(sync, 0, own, scheme, test));
    for (int rank = 1; rank < group.size(); ++rank) {
        const auto result = receive_value<SyncResult>(group, rank, report_within);
        if (!result) {
            throw NotMeasured(fmt::format("rank {} did not report its clock", rank));
        }
        journal_->write(record_of(sync, world_rank(rank), *result, scheme, test));
    }
}

Nanoseconds ClockKeeper::claimed_error(Nanoseconds own) const {
    const double unsure = model_.uncertainty_ns(own);
    return last_.link.bound() + Nanoseconds{static_cast<std::int64_t>(std::ceil(unsure))};
}

bool ClockKeeper::unsure(Group& group, const Clock& clock, Nanoseconds budget) const {
    if (all_shared_) {
        return false;
    }
    const bool here =
        group.rank() != 0 && model_.uncertainty_ns(clock.now()) > static_cast<double>(budget.count);
    return group.largest(here ? 1 : 0) != 0;
}

}  // namespace fathom::probe
