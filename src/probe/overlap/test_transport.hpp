#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string_view>

#include "base/named_enum.hpp"
#include "base/units.hpp"
#include "probe/interfaces/clock.hpp"
#include "probe/interfaces/operation.hpp"

/// Transports whose overlap is known, in place of the library's: they verify that studies find it.
namespace fathom::probe {

/// Where a test transport stands.
struct TransportPlace {
    const Clock& clock;
    Bytes size;
    bool works = true;  ///< whether this rank does something else meanwhile
};

enum class TestTransport {
    in_wait,  ///< completion needs the host; the whole transfer happens in wait() on ranks that work
    unaided,  ///< completion needs nothing; wait() returns once a made-up time is over (unaided_time), and
              ///< the true transfer takes place outside the timed part, in next()
};
constexpr std::array<std::string_view, 2> enum_names(TestTransport /*unused*/) {
    return {"in-wait", "unaided"};
}

/// The one that FATHOM_TRANSPORT names. Throws BadInput for another name.
std::optional<TestTransport> asked_transport();

/// Puts a test transport before an operation that is Nonblocking too; what comes back is both as well.
std::unique_ptr<Operation> with_test_transport(TestTransport kind, std::unique_ptr<Operation> operation,
                                               const TransportPlace& place);

/// What `unaided` pretends that a transfer takes: 10 us and 1 ns a byte.
Nanoseconds unaided_time(Bytes size);

}  // namespace fathom::probe
