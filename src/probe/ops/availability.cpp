#include "probe/ops/availability.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <mpi.h>

#include "base/text.hpp"

namespace fathom::probe {
namespace {

constexpr int digit = 10;
constexpr int library_version = digit * MPI_VERSION + MPI_SUBVERSION;

/// A call that a library lacks although its version of the standard has it.
struct Lack {
    std::string_view call;
    std::string_view reason;
};

#ifdef FATHOM_SIMULATED
constexpr bool is_simulated = true;
constexpr auto lacks = std::to_array<Lack>({
    {"MPI_Mprobe", "SimGrid has no MPI_Mprobe"},
    {"MPI_Comm_idup", "SimGrid has no MPI_Comm_idup"},
});
#else
constexpr bool is_simulated = false;
constexpr std::array<Lack, 0> lacks{};
#endif

}  // namespace

std::string standard_of_library() {
    return fmt::format("{}.{}", MPI_VERSION, MPI_SUBVERSION);
}

std::string why_unavailable(const plan::OperationInfo& info) {
    if (info.version > library_version) {
        return fmt::format("it needs MPI {}, and this library has MPI {}", info.version_text(),
                           standard_of_library());
    }
    if (is_simulated && info.group == plan::Group::single) {
        return "a call of one rank alone takes no simulated time";
    }
    if (is_simulated && info.is(plan::Fact::with_neighbours)) {
        return "SimGrid has no neighbourhood collectives";
    }
    const auto calls = split(info.calls, ',');
    const auto* const lack = std::ranges::find_first_of(lacks, calls, {}, &Lack::call);
    return lack == lacks.end() ? std::string() : std::string(lack->reason);
}

}  // namespace fathom::probe
