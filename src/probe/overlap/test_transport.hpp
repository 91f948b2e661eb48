#pragma once

#include <memory>
#include <string_view>

#include "base/units.hpp"
#include "probe/interfaces/clock.hpp"
#include "probe/interfaces/operation.hpp"

/// Transports whose overlap is known, in the place of the library's: they prove that studies find it.
namespace fathom::probe {

/// Where a test transport stands.
struct TransportPlace {
    const Clock& clock;
    Bytes size;
    bool works = true;  ///< whether this rank does something else meanwhile
};

/// Puts the named transport before an operation that is an Nonblocking too; what comes back is both as well.
/// `in-wait`: completion needs the host; the whole transfer happens in wait() on ranks that work.
/// `unaided`: completion needs nothing; wait() returns once a made-up time is over (unaided_time), and the
/// true transfer takes place outside the timed part, in next(). Throws BadInput for another name.
std::unique_ptr<Operation> with_test_transport(std::string_view name, std::unique_ptr<Operation> operation,
                                               const TransportPlace& place);

/// What `unaided` pretends that a transfer takes: 10 us and 1 ns a byte.
Nanoseconds unaided_time(Bytes size);

}  // namespace fathom::probe
