#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fathom::machine {

/// With this argument alone a probe prints cores_line() and ends, without MPI: the front end asks so what the
/// hosts of a job have.
inline constexpr std::string_view cores_option = "--cores";

/// The cores that one process may use on its host.
struct HostCores {
    std::string host;
    int cores = 0;

    friend bool operator==(const HostCores&, const HostCores&) = default;
};

/// This process's, as one line of text.
std::string cores_line();
/// What such a line says; nothing for another one.
std::optional<HostCores> read_cores_line(std::string_view line);

}  // namespace fathom::machine
