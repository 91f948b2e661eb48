#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <sys/types.h>

#include "base/file.hpp"
#include "launch/command.hpp"

namespace fathom::launch {

/// A launcher and everything it starts, below a guardian process of ours. The guardian ends them all when it
/// is asked to or when we are gone, even by kill -9, and adopts orphans so that none escapes.
class Child {
  public:
    /// Throws NotMeasured if the command cannot be started.
    explicit Child(const Command& command);
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child();

    /// Waits at most this long for output or for the launcher's end; returns what output there is.
    std::string read_output(std::chrono::milliseconds patience);

    /// The wait status once the launcher has ended.
    std::optional<int> ended();

    /// Asks the launcher to end its job, and makes sure after a while. Returns when nothing of it is left.
    void terminate();

  private:
    pid_t guardian_ = -1;
    FileDescriptor leash_;   // the guardian ends everything when this closes
    FileDescriptor status_;  // the guardian reports the launcher's wait status here
    FileDescriptor output_;
    std::optional<int> ended_;
};

/// What a short command prints, in a minute at most: a batch system may take its time. Throws NotMeasured if
/// it cannot be started.
std::string output_of(const Command& command);

/// `exit status 3` or `signal 9 (Killed)`.
std::string status_text(int wait_status);

}  // namespace fathom::launch
