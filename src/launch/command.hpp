#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "launch/platform.hpp"
#include "plan/choices.hpp"

namespace fathom::launch {

/// What a launcher is to start.
struct Request {
    plan::Flavour flavour = plan::Flavour::mpi;
    int procs = 1;
    int cores = 1;                 ///< of this host, to decide whether ranks must share them
    std::string launcher;          ///< program that starts MPI jobs of this flavour
    std::string custom;            ///< the user's template; empty: the flavour's own launcher
    bool allow_root = false;       ///< let Open MPI run as root
    bool progress_thread = false;  ///< request one, with its own core if there is
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
};

/// Whether each process can have a core for its progress thread too.
bool has_cores_for_progress(int procs, int cores);

/// The launcher that the build found for a flavour; empty if none.
std::string found_launcher(plan::Flavour flavour);

/// The command that starts the probe. Throws BadInput if the flavour has no launcher and none is given.
Command command_for(const Request& request);

}  // namespace fathom::launch
