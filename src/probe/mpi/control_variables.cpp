#include "probe/mpi/control_variables.hpp"

#include <mpi.h>

#include "probe/mpi/check.hpp"

namespace fathom::probe::mpi {

#ifdef FATHOM_SIMULATED
ControlVariables::ControlVariables() = default;
ControlVariables::~ControlVariables() = default;

bool ControlVariables::has(const std::string& /*name*/) {
    return false;
}

std::optional<int> ControlVariables::number(const std::string& /*name*/) {
    return std::nullopt;
}
#else
namespace {

std::optional<int> index_of(const std::string& name) {
    int index = 0;
    return MPI_T_cvar_get_index(name.c_str(), &index) == MPI_SUCCESS ? std::optional(index) : std::nullopt;
}

}  // namespace

ControlVariables::ControlVariables() {
    int provided = 0;
    FATHOM_MPI(MPI_T_init_thread, MPI_THREAD_SINGLE, &provided);
}

ControlVariables::~ControlVariables() {
    MPI_T_finalize();
}

bool ControlVariables::has(const std::string& name) {
    return index_of(name).has_value();
}

std::optional<int> ControlVariables::number(const std::string& name) {
    const auto index = index_of(name);
    if (!index) {
        return std::nullopt;
    }
    MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
    int count = 0;
    FATHOM_MPI(MPI_T_cvar_handle_alloc, *index, nullptr, &handle, &count);
    int value = 0;
    FATHOM_MPI(MPI_T_cvar_read, handle, &value);
    FATHOM_MPI(MPI_T_cvar_handle_free, &handle);
    return value;
}
#endif

}  // namespace fathom::probe::mpi
