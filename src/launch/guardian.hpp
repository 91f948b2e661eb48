#pragma once

#include "launch/command.hpp"

namespace fathom::launch {

/// Descriptors between the supervisor and the guardian.
struct GuardianPipes {
    int leash;    ///< reads end-of-file when the supervisor lets go or dies
    int status;   ///< takes the launcher's wait status
    int output;   ///< the launcher's stdout and stderr
    int failure;  ///< takes errno if the launcher cannot be started
};

/// The main function of the guardian process: starts the command, waits until it ends or the leash is
/// let go, ends whatever is left, removes the command's litter. Never returns.
[[noreturn]] void guard(const Command& command, const GuardianPipes& pipes);

/// Kills all processes below this one and waits for them.
void kill_descendants();

}  // namespace fathom::launch
