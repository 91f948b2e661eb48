#include "probe/ops/availability.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <mpi.h>

#include "plan/operations.hpp"

namespace fathom::probe {
namespace {

constexpr int digit = 10;
constexpr int library_version = digit * MPI_VERSION + MPI_SUBVERSION;

/// What a library does not have although its version of the standard says so. A name stands for itself, one
/// that ends in a star for all that begin like it.
struct Lack {
    std::string_view operation;
    std::string_view reason;
};

#ifdef FATHOM_SIMULATED
constexpr bool is_simulated = true;
constexpr auto lacks = std::to_array<Lack>({
    {"pingpong.mprobe", "SimGrid has no MPI_Mprobe"},
    {"pairs.mprobe", "SimGrid has no MPI_Mprobe"},
    {"neighbor_*", "SimGrid has no neighbourhood collectives"},
    {"ineighbor_*", "SimGrid has no neighbourhood collectives"},
    {"comm_idup", "SimGrid has no MPI_Comm_idup"},
});
#else
constexpr bool is_simulated = false;
constexpr std::array<Lack, 0> lacks{};
#endif

bool is_meant(const Lack& lack, std::string_view name) {
    if (name.starts_with(plan::overlap_prefix)) {
        name.remove_prefix(plan::overlap_prefix.size());  // a study needs the call that it studies
    }
    return lack.operation.ends_with('*')
               ? name.starts_with(lack.operation.substr(0, lack.operation.size() - 1))
               : name == lack.operation;
}

}  // namespace

std::string why_unavailable(std::string_view name) {
    const auto& info = plan::find_operation(name);
    if (info.version > library_version) {
        return fmt::format("it needs MPI {}, and this library has MPI {}.{}", info.version_text(),
                           MPI_VERSION, MPI_SUBVERSION);
    }
    if (is_simulated && info.group == "single") {
        return "a call of one rank alone takes no simulated time";
    }
    const auto* const lack =
        std::find_if(lacks.begin(), lacks.end(), [&](const auto& row) { return is_meant(row, name); });
    return lack == lacks.end() ? std::string() : std::string(lack->reason);
}

}  // namespace fathom::probe
