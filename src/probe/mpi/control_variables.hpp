#pragma once

#include <optional>
#include <string>

namespace fathom::probe::mpi {

/// The library's control variables (MPI_T), which can be asked for as long as one of these lives. A simulated
/// library has none.
class ControlVariables {
  public:
    ControlVariables();
    ControlVariables(const ControlVariables&) = delete;
    ControlVariables& operator=(const ControlVariables&) = delete;
    ~ControlVariables();

    /// Whether there is one of this name: Open MPI has only those of the components that it uses.
    [[nodiscard]] static bool has(const std::string& name);

    /// The value of one that is a number.
    [[nodiscard]] static std::optional<int> number(const std::string& name);
};

}  // namespace fathom::probe::mpi
