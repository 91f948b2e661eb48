#pragma once

#include <array>
#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"

/// What MPI libraries leave behind when a job is killed: files of shared memory, which keep their memory
/// until the next boot, and session folders of launchers.
namespace fathom::machine {

enum class LeftoverKind { segment, session_folder };
constexpr std::array<std::string_view, 2> enum_names(LeftoverKind /*unused*/) {
    return {"segment", "session-folder"};
}

struct Leftover {
    LeftoverKind kind = LeftoverKind::segment;
    std::filesystem::path path;
    std::string library;  ///< whose names look like this: `Open MPI`
    Bytes size;           ///< memory or disk space that it takes
};

/// Where and by what to look for them.
struct LeftoverPlaces {
    std::filesystem::path shared_memory = "/dev/shm";
    std::filesystem::path temporary = "/tmp";
    std::string host;  ///< as launchers name this one
    /// Younger ones may belong to a job that is still starting: they are made before anyone maps them.
    std::chrono::seconds least_age{60};

    /// Those of this process: the folder for temporary files is that of TMPDIR, as for Open MPI, and
    /// FATHOM_SHARED_MEMORY replaces /dev/shm, for tests.
    static LeftoverPlaces here();
};

/// Those that are ours, by path: of this user, old enough, and in use by no process. The kernel answers the
/// last, whatever the user or container of the process: it grants a lease for writing only on files that
/// nobody else has open or mapped. Where it grants none, a file counts as in use. A session folder names the
/// process of its launcher, which must have ended on this host.
std::vector<Leftover> find_leftovers(const LeftoverPlaces& places);

/// Removes one if it is still ours, and nothing else: links are not followed. False if it stays.
bool remove_leftover(const Leftover& leftover, const LeftoverPlaces& places);

}  // namespace fathom::machine
