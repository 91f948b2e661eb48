#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace fathom::launch {

/// A simulated cluster, described by a SimGrid platform file of one <cluster>.
struct Platform {
    std::string name;
    std::filesystem::path file;
    std::string summary;  ///< from the comment `<!-- summary: ... -->`
    int hosts = 0;
    int ranks_per_host = 1;  ///< the cores of a host
    std::string host_prefix;
    std::string host_suffix;
    std::vector<std::pair<std::string, std::string>> config;  ///< SimGrid settings that belong to it

    [[nodiscard]] int places() const { return hosts * ranks_per_host; }
    /// One line per rank, in rank order, consecutive ranks sharing a host.
    [[nodiscard]] std::string hostfile() const;
};

/// Reads a platform file. Throws BadInput, with the line if it is malformed XML, and if it does not hold
/// exactly one <cluster> with hosts 0-N.
Platform read_platform(const std::filesystem::path& file);

/// All platforms of a folder, by name.
std::vector<Platform> platforms_in(const std::filesystem::path& folder);

/// A platform by name, or by a path that ends in .xml. Throws BadInput with the nearest name.
Platform find_platform(const std::filesystem::path& folder, const std::string& name);

}  // namespace fathom::launch
