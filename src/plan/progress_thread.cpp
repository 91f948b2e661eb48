#include "plan/progress_thread.hpp"

#include <array>
#include <optional>

namespace fathom::plan {
namespace {

struct ProgressSwitch {
    std::optional<Flavour> flavour;
    std::string_view variable;
    std::string_view value;
};

constexpr auto switches_by_flavour = std::to_array<ProgressSwitch>({
    {Flavour::mpich, "MPICH_ASYNC_PROGRESS", "1"},
    {Flavour::openmpi, "OMPI_MCA_btl_tcp_progress_thread", "1"},
    {std::nullopt, "I_MPI_ASYNC_PROGRESS", "1"},  // Intel MPI
});

}  // namespace

std::vector<std::pair<std::string, std::string>> progress_variables(Flavour flavour) {
    std::vector<std::pair<std::string, std::string>> found;
    for (const auto& row : switches_by_flavour) {
        if (row.flavour == flavour || flavour == Flavour::mpi) {
            found.emplace_back(row.variable, row.value);
        }
    }
    return found;
}

std::string_view progress_thread_remark(Flavour flavour) {
    return flavour == Flavour::openmpi
               ? "Open MPI has one for TCP only, and none for shared memory within a host"
               : "";
}

}  // namespace fathom::plan
