#include "launch/flavours.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "journal/json.hpp"

namespace fathom::launch {
namespace {

std::vector<std::string> names_of_all(const std::vector<plan::Flavour>& flavours) {
    std::vector<std::string> names;
    for (const auto flavour : flavours) {
        names.emplace_back(to_text(flavour));
    }
    return names;
}

}  // namespace

Installation Installation::of_this_program() {
    const auto programs = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    return {programs, programs.parent_path() / "share/fathom/platforms"};
}

std::filesystem::path Installation::probe(plan::Flavour flavour) const {
    return programs / fmt::format("fathom-probe-{}", to_text(flavour));
}

Reasons Installation::unavailable(plan::Flavour flavour) const {
    const auto text = read_file_or_empty(probe(flavour).string() + ".json");
    const auto document = nlohmann::json::parse(text, nullptr, false);
    Reasons found;
    if (document.is_object() && document.contains("unavailable") && document["unavailable"].is_object()) {
        for (const auto& [operation, reason] : document["unavailable"].items()) {
            found[operation] = reason.is_string() ? reason.get<std::string>() : std::string();
        }
    }
    return found;
}

std::vector<plan::Flavour> Installation::flavours() const {
    std::vector<plan::Flavour> found;
    std::ranges::copy_if(values_of<plan::Flavour>, std::back_inserter(found),
                         [&](auto flavour) { return std::filesystem::exists(probe(flavour)); });
    return found;
}

plan::Flavour choose_flavour(const Installation& here, std::optional<plan::Flavour> requested,
                             bool platform_named) {
    using plan::Flavour;
    const auto found = here.flavours();
    if (platform_named && requested && requested != Flavour::smpi) {
        throw BadInput(
            fmt::format("a platform is simulated, but --mpi says '{}'; use --mpi smpi or no --platform.",
                        to_text(requested)));
    }
    const auto wanted = platform_named ? Flavour::smpi : requested;
    if (wanted && std::find(found.begin(), found.end(), *wanted) == found.end()) {
        throw BadInput(fmt::format("no probe for MPI flavour '{}' in {}. Found: {}.", to_text(wanted),
                                   here.programs.string(),
                                   found.empty() ? "none" : and_list(names_of_all(found))));
    }
    if (wanted) {
        return *wanted;
    }
    if (found.empty() || found.front() == Flavour::smpi) {
        throw BadInput(fmt::format("no probe for a real MPI library in {}; install one and build again{}.",
                                   here.programs.string(),
                                   found.empty() ? "" : ", or simulate with --platform NAME"));
    }
    return found.front();
}

}  // namespace fathom::launch
