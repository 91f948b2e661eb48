#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launch/platform.hpp"
#include "launch/room.hpp"
#include "plan/choices.hpp"

namespace fathom::launch {

/// What stands in a user's template for the number of processes, and for that on each host.
inline constexpr std::string_view procs_mark = "{n}";
inline constexpr std::string_view ranks_per_host_mark = "{ranks-per-host}";

/// What a launcher is to start.
struct Request {
    plan::Flavour flavour = plan::Flavour::mpi;
    int procs = 1;
    Room room;             ///< of the hosts that run it, which decides how ranks are bound
    std::string launcher;  ///< program that starts MPI jobs of this flavour
    std::string custom;    ///< the user's template; empty: the flavour's own launcher
    std::optional<std::int64_t> ranks_per_host = {};  ///< absent: as the launcher places them
    bool allow_root = false;                          ///< let Open MPI run as root
    bool progress_thread = false;                     ///< request one, with its own core if there is
    bool against_progress_thread = false;             ///< compared with jobs that have one
    plan::Bind bind = plan::Bind::launcher;           ///< by the flavour's own launcher
    plan::ThreadLevel thread_level = plan::ThreadLevel::single;  ///< with which MPI is initialised
    std::vector<std::pair<std::string, std::string>> variables;  ///< that its processes are to see
    std::optional<Platform> platform;                            ///< needed by smpi
    std::filesystem::path hostfile;                              ///< for a simulated platform
    std::filesystem::path probe;
    std::filesystem::path job;
};

/// A command and what is to be added to its environment.
struct Command {
    std::vector<std::string> words;
    std::vector<std::pair<std::string, std::string>> environment;
    std::vector<std::filesystem::path> litter;  ///< files and folders that are of no use after it has ended
    std::vector<std::string> removed = {};      ///< variables that are removed from its environment
};

/// The launcher that the build found for a flavour; empty if none.
std::string found_launcher(plan::Flavour flavour);

/// The command by which every process says what cores it may use, where it would run (room_from).
Command command_to_ask_for_cores(Request request);

/// The command that starts the probe. Throws BadInput if the flavour has no launcher and none is given.
Command command_for(const Request& request);

}  // namespace fathom::launch
