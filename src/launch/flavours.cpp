#include "launch/flavours.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "journal/json.hpp"

namespace fathom::launch {
namespace {

constexpr std::array<const char*, 4> preference{"mpi", "openmpi", "mpich", "smpi"};

}  // namespace

Installation Installation::of_this_program() {
    const auto programs = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    return {programs, programs.parent_path() / "share/fathom/platforms"};
}

std::filesystem::path Installation::probe(const std::string& flavour) const {
    return programs / ("fathom-probe-" + flavour);
}

std::map<std::string, std::string, std::less<>> Installation::unavailable(const std::string& flavour) const {
    const auto text = read_file_or_empty(probe(flavour).string() + ".json");
    const auto told = nlohmann::json::parse(text, nullptr, false);
    std::map<std::string, std::string, std::less<>> found;
    if (told.is_object() && told.contains("unavailable") && told["unavailable"].is_object()) {
        for (const auto& [operation, reason] : told["unavailable"].items()) {
            found[operation] = reason.is_string() ? reason.get<std::string>() : std::string();
        }
    }
    return found;
}

std::vector<std::string> Installation::flavours() const {
    std::vector<std::string> found;
    std::copy_if(preference.begin(), preference.end(), std::back_inserter(found),
                 [&](const char* flavour) { return std::filesystem::exists(probe(flavour)); });
    return found;
}

std::string choose_flavour(const Installation& here, const std::string& asked, bool platform_named) {
    const auto found = here.flavours();
    const auto has = [&](const std::string& flavour) {
        return std::find(found.begin(), found.end(), flavour) != found.end();
    };
    if (platform_named && !asked.empty() && asked != "smpi") {
        throw BadInput(fmt::format(
            "a platform is simulated, but --mpi says '{}'; use --mpi smpi or no --platform.", asked));
    }
    const std::string wanted = platform_named ? "smpi" : asked;
    if (!wanted.empty() && !has(wanted)) {
        throw BadInput(fmt::format("no probe for MPI flavour '{}' in {}.{} Found: {}.", wanted,
                                   here.programs.string(), did_you_mean(wanted, found),
                                   found.empty() ? "none" : and_list(found)));
    }
    if (!wanted.empty()) {
        return wanted;
    }
    if (found.empty() || found.front() == "smpi") {
        throw BadInput(fmt::format("no probe for a real MPI library in {}; install one and build again{}.",
                                   here.programs.string(),
                                   found.empty() ? "" : ", or simulate with --platform NAME"));
    }
    return found.front();
}

}  // namespace fathom::launch
