#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>

#include "base/file.hpp"
#include "launch/command.hpp"

namespace fathom::launch {

/// A launcher and everything it starts. Whatever happens, nothing of it outlives this object: orphans are adopted
/// and ended too.
class Child {
  public:
    /// Throws NotMeasured if the command cannot be started.
    explicit Child(const Command& command);
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child();

    /// Waits at most so long for output; returns what there is.
    std::string read_output(std::chrono::milliseconds patience);

    /// The wait status once the launcher has ended.
    std::optional<int> ended();

    /// Asks the launcher to end its job, and makes sure after a while.
    void terminate();

  private:
    void signal_all(int signal);

    pid_t pid_ = -1;
    FileDescriptor output_;
    std::optional<int> status_;
};

/// `exit status 3` or `signal 9 (Killed)`.
std::string status_text(int wait_status);

}  // namespace fathom::launch
