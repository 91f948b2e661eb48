#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace fathom::launch {

/// Where this installation keeps its things.
struct Installation {
    std::filesystem::path programs;   ///< folder of `fathom` and the probes
    std::filesystem::path platforms;  ///< folder of simulated platforms

    /// That of the running program.
    static Installation of_this_program();

    /// Flavours whose probe is here, in the order of preference.
    [[nodiscard]] std::vector<std::string> flavours() const;
    [[nodiscard]] std::filesystem::path probe(const std::string& flavour) const;
    /// Operations that a flavour's library cannot have, with the reason; what the build left beside the
    /// probe.
    [[nodiscard]] std::map<std::string, std::string, std::less<>> unavailable(
        const std::string& flavour) const;
};

/// The flavour to use: the one asked for, smpi if a platform is named, else the first real one.
/// Throws BadInput that says which there are.
std::string choose_flavour(const Installation& here, const std::string& asked, bool platform_named);

}  // namespace fathom::launch
