// Run by the build, once for each MPI library: writes what the front end needs to know about the probe.
#include <cstdio>

#include <fmt/format.h>

#include "journal/json.hpp"
#include "plan/operations.hpp"
#include "probe/ops/availability.hpp"

int main() {
    nlohmann::json unavailable = nlohmann::json::object();
    for (const auto& operation : fathom::plan::operations()) {
        const auto reason = fathom::probe::why_unavailable(operation);
        if (!reason.empty()) {
            unavailable[std::string(operation.name)] = reason;
        }
    }
    const nlohmann::json description{{"schema", "fathom.probe/1"},
                                     {"mpi_standard", fathom::probe::standard_of_library()},
                                     {"unavailable", unavailable}};
    fmt::print("{}\n", description.dump(2));
    return 0;
}
