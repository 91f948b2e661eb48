#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace fathom::machine {

/// A process, named so that others can find out whether it still lives: numbers of processes are given again.
struct Process {
    std::string host;
    std::string boot_id;     ///< of the kernel that runs it
    std::string namespaces;  ///< in which its number and its start time hold: containers have their own
    std::int64_t pid = 0;
    std::int64_t start_ticks = 0;  ///< since boot, as the kernel counts; 0: not known

    friend bool operator==(const Process&, const Process&) = default;
};

Process this_process();

/// Whether it lives (a stopped process does). Nothing if that cannot be seen from here: on another host or in
/// another container, or where the kernel hides it from this user.
std::optional<bool> is_alive(const Process& process);

}  // namespace fathom::machine
