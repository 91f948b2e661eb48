#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plan/library_algorithms.hpp"

namespace fathom::probe::mpi {

/// The library's control variables (MPI_T). A simulated library has none.
class ControlVariables {
  public:
    ControlVariables() = delete;

    /// Whether there is one of this name: Open MPI has only those of the components that it uses.
    [[nodiscard]] static bool has(const std::string& name);

    /// The value of one that is a number.
    [[nodiscard]] static std::optional<int> number(const std::string& name);

    /// Of all that there are.
    [[nodiscard]] static std::vector<std::string> names();
    /// The names that its numbers have, where the library says so; empty for one that is not there.
    [[nodiscard]] static std::vector<plan::NumberedName> values(const std::string& name);
    /// For people; empty for one that is not there.
    [[nodiscard]] static std::string description(const std::string& name);

    /// Whether it cannot be set any more, or is not there.
    [[nodiscard]] static bool constant(const std::string& name);

    /// The value as text.
    [[nodiscard]] static std::string text(const std::string& name);
    /// Sets a value that text() could return. Throws Unavailable if there is no such variable or it does not
    /// take it now.
    static void set(const std::string& name, const std::string& value);
};

}  // namespace fathom::probe::mpi
