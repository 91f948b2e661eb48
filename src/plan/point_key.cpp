#include "plan/point_key.hpp"

#include <fmt/format.h>

#include "plan/operations.hpp"

namespace fathom::plan {

std::string processes_text(int procs) {
    return fmt::format("{} {}", procs, procs == 1 ? "process" : "processes");
}

bool has_sizes(const std::string& operation) {
    const auto* known = known_operation(operation);
    return known == nullptr || known->sized;
}

}  // namespace fathom::plan
