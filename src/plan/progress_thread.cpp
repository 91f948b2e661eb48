#include "plan/progress_thread.hpp"

#include <array>

namespace fathom::plan {
namespace {

struct ProgressSwitch {
    std::string_view flavour;
    std::string_view variable;
    std::string_view value;
};

constexpr auto switches_by_flavour = std::to_array<ProgressSwitch>({
    {"mpich", "MPICH_ASYNC_PROGRESS", "1"},
    {"openmpi", "OMPI_MCA_btl_tcp_progress_thread", "1"},
    {"intel", "I_MPI_ASYNC_PROGRESS", "1"},  // no flavour of its own
});

}  // namespace

std::vector<std::pair<std::string, std::string>> progress_variables(std::string_view flavour) {
    std::vector<std::pair<std::string, std::string>> found;
    for (const auto& row : switches_by_flavour) {
        if (row.flavour == flavour || flavour == "mpi") {
            found.emplace_back(row.variable, row.value);
        }
    }
    return found;
}

std::string_view progress_thread_remark(std::string_view flavour) {
    return flavour == "openmpi" ? "Open MPI has one for TCP only, and none for shared memory within a host"
                                : "";
}

}  // namespace fathom::plan
