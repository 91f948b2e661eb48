#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::launch {

/// A host of a job, with the job's ranks on it and the cores that they may use.
struct HostRoom {
    std::string host;
    int ranks = 0;
    int cores = 0;

    friend bool operator==(const HostRoom&, const HostRoom&) = default;
};

/// The cores that a job gets on its hosts, which decide how its ranks are bound.
struct Room {
    std::vector<HostRoom> hosts;

    /// Whether ranks must share cores somewhere.
    [[nodiscard]] bool crowded() const;
    /// Whether each rank can have a core for its progress thread too.
    [[nodiscard]] bool has_cores_for_progress() const;
};

/// If all ranks run on this host.
Room room_here(int procs);

/// From what `procs` processes printed of their hosts (machine::cores_line); nothing if one is missing.
std::optional<Room> room_from(std::string_view output, int procs);

/// The variable of the environment by which launchers may start jobs on other hosts than this one: a batch
/// system's or one that names a file of hosts. Empty if none is set.
std::string_view sign_of_other_hosts();

}  // namespace fathom::launch
