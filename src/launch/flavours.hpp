#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plan/choices.hpp"

namespace fathom::launch {

/// By operation.
using Reasons = std::map<std::string, std::string, std::less<>>;

/// Where this installation keeps its things.
struct Installation {
    std::filesystem::path programs;   ///< folder of `fathom` and the probes
    std::filesystem::path platforms;  ///< folder of simulated platforms

    /// That of the running program.
    static Installation of_this_program();

    /// Flavours whose probe is here, in the order of preference.
    [[nodiscard]] std::vector<plan::Flavour> flavours() const;
    [[nodiscard]] std::filesystem::path probe(plan::Flavour flavour) const;
    /// Operations that a flavour's library does not support, with the reason; written by the build beside the
    /// probe.
    [[nodiscard]] Reasons unavailable(plan::Flavour flavour) const;
};

/// The flavour to use: the requested one, smpi if a platform is named, else the first real one.
/// Throws BadInput that says which there are.
plan::Flavour choose_flavour(const Installation& here, std::optional<plan::Flavour> requested,
                             bool platform_named);

}  // namespace fathom::launch
