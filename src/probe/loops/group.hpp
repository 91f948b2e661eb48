#pragma once

#include <string>

namespace fathom::probe {

/// The processes of a measurement as the engine sees them: small messages of its own, apart from the measured
/// operation's. MPI stands behind it in the probe, queues in unit tests.
class Group {
  public:
    Group() = default;
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;
    virtual ~Group() = default;

    [[nodiscard]] virtual int rank() const = 0;
    [[nodiscard]] virtual int size() const = 0;

    /// Sends an empty message to one rank and waits for one from another, both at once.
    virtual void exchange_token(int to, int from) = 0;

    /// Sends text without letting it pile up at a receiver that is not ready.
    virtual void send(int to, const std::string& text) = 0;
    virtual std::string receive(int from) = 0;
    /// Like receive, but for long waits: leaves the processor to others meanwhile.
    virtual std::string receive_idle(int from) = 0;

    /// The first non-empty text by rank, the same on all ranks; empty if all are.
    virtual std::string first_of(const std::string& text) = 0;
};

}  // namespace fathom::probe
