#pragma once

#include "journal/records.hpp"

namespace fathom::testing {

/// A synchronisation in which a rank's clock showed `at_ns` and was `offset_ns` ahead, known to `bound_ns`.
inline journal::ClockSync sync_of(int sync, int rank, std::int64_t at_ns, std::int64_t offset_ns,
                                  std::int64_t bound_ns) {
    journal::ClockSync record;
    record.sync = sync;
    record.rank = rank;
    record.at_ns = at_ns;
    record.offset_ns = offset_ns;
    record.low_ns = offset_ns - bound_ns;
    record.high_ns = offset_ns + bound_ns;
    record.round_trip_ns = 2 * bound_ns;
    record.pings = rank == 0 ? 0 : 101;
    record.cost_ns = 5000;
    record.scheme = "tree";
    return record;
}

}  // namespace fathom::testing
