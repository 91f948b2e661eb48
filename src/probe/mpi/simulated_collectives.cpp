#include "probe/mpi/simulated_collectives.hpp"

#ifdef FATHOM_SIMULATED
#include <dlfcn.h>
#include <simgrid/version.h>

#include <fmt/format.h>
#endif

namespace fathom::probe::mpi {

#ifdef FATHOM_SIMULATED
namespace {

/// As SimGrid describes an algorithm.
struct Description {
    std::string name;
    std::string text;
    void* function;
};

/// Its names as the compiler writes them: functions of simgrid::smpi::colls that take a const std::string&.
void* function_of(const std::string& name) {
    const auto symbol =
        fmt::format("_ZN7simgrid4smpi5colls{}{}ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
                    name.size(), name);
    return dlsym(RTLD_DEFAULT, symbol.c_str());
}

/// How algorithms are described is not part of its interface: looked at in the versions from 3.32 to 3.35.
constexpr bool known_version =
    SIMGRID_VERSION_MAJOR == 3 && SIMGRID_VERSION_MINOR >= 32 && SIMGRID_VERSION_MINOR <= 35;

}  // namespace

std::vector<std::string> simulated_algorithms(const std::string& collective) {
    using Describe = std::vector<Description>* (*)(const std::string&);
    const auto describe = reinterpret_cast<Describe>(function_of("get_smpi_coll_descriptions"));
    if (!known_version || describe == nullptr || function_of("set_" + collective) == nullptr) {
        return {};
    }
    std::vector<std::string> names;
    for (const auto& description : *describe(collective)) {
        // `automatic` tries all the others in every call.
        if (description.name != "default" && description.name != "automatic") {
            names.push_back(description.name);
        }
    }
    return names;
}

void choose_simulated(const std::string& collective, const std::string& algorithm) {
    using Choose = void (*)(const std::string&);
    if (const auto choose = reinterpret_cast<Choose>(function_of("set_" + collective))) {
        choose(algorithm);
    }
}
#else
std::vector<std::string> simulated_algorithms(const std::string& /*collective*/) {
    return {};
}

void choose_simulated(const std::string& /*collective*/, const std::string& /*algorithm*/) {}
#endif

}  // namespace fathom::probe::mpi
