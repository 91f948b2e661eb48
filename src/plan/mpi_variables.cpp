#include "plan/mpi_variables.hpp"

#include <algorithm>
#include <array>

namespace fathom::plan {
namespace {

/// What names begin with.
constexpr std::array<std::string_view, 11> steering{"OMPI_MCA_", "MPICH_", "MPIR_CVAR_",     "UCX_",
                                                    "FI_",       "I_MPI_", "MV2_",           "PSM2_",
                                                    "PMIX_MCA_", "SMPI_",  "OMP_NUM_THREADS"};
constexpr std::array<std::string_view, 13> of_launchers{"OMPI_MCA_orte_",
                                                        "OMPI_MCA_ess",
                                                        "OMPI_MCA_pmix",
                                                        "OMPI_MCA_initial_wdir",
                                                        "OMPI_MCA_mpi_oversubscribe",
                                                        "OMPI_MCA_hwloc_base_binding_policy",
                                                        "OMPI_MCA_shmem_RUNTIME_QUERY_hint",
                                                        "PMIX_MCA_",
                                                        "MPIR_CVAR_CH3_INTERFACE_HOSTNAME",
                                                        "I_MPI_HYDRA_",
                                                        "I_MPI_MPIRUN",
                                                        "MV2_COMM_WORLD_",
                                                        "SMPI_GLOBAL_SIZE"};

template <typename Beginnings>
bool begins_with_one_of(std::string_view name, const Beginnings& beginnings) {
    return std::any_of(beginnings.begin(), beginnings.end(),
                       [&](const auto& beginning) { return name.starts_with(beginning); });
}

}  // namespace

bool steers_mpi(std::string_view name) {
    return begins_with_one_of(name, steering);
}

bool set_by_launcher(std::string_view name) {
    return begins_with_one_of(name, of_launchers);
}

bool set_by_library(std::string_view name, std::string_view value) {
    // Open MPI, with all ranks on one host.
    return name == "PSM2_DEVICES" && value == "self,shm";
}

}  // namespace fathom::plan
