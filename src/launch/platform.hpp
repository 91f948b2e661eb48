#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace fathom::launch {

/// Simulated clusters, described by a SimGrid platform file: one <cluster>, or one for each site.
struct Platform {
    /// Hosts of one <cluster>: a prefix, a number from 0, a suffix.
    struct Site {
        std::string host_prefix;
        std::string host_suffix;
        int hosts = 0;
    };

    std::string name;
    std::filesystem::path file;
    std::string summary;     ///< from the comment `<!-- summary: ... -->`
    int hosts = 0;           ///< of all sites
    int ranks_per_host = 1;  ///< the cores of a host
    std::vector<Site> sites;
    std::vector<std::pair<std::string, std::string>> config;  ///< SimGrid settings that belong to it

    [[nodiscard]] int places() const { return hosts * ranks_per_host; }
    /// One line per rank, in rank order: consecutive ranks share a host, consecutive hosts a site.
    [[nodiscard]] std::string hostfile() const;
};

/// Reads a platform file. Throws BadInput, with the line if it is malformed XML, and if it holds no <cluster>
/// with hosts 0-N, or several whose hosts differ in their cores.
Platform read_platform(const std::filesystem::path& file);

/// All platforms of a folder, by name.
std::vector<Platform> platforms_in(const std::filesystem::path& folder);

/// A platform by name, or by a path that ends in .xml. Throws BadInput with the nearest name.
Platform find_platform(const std::filesystem::path& folder, const std::string& name);

}  // namespace fathom::launch
