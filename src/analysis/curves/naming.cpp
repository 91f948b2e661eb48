#include "analysis/curves/naming.hpp"

#include <fmt/format.h>

#include "analysis/point/point_result.hpp"
#include "plan/operations.hpp"

namespace fathom::analysis {

std::string Name::text() const {
    return fmt::format("{}{}{}{}{}", operation, size && has_sizes(operation) ? ", " + to_text(*size) : "",
                       procs > 0 ? ", " + processes_text(procs) : "", scheme.empty() ? "" : ", " + scheme,
                       progress.empty() ? "" : ", progress " + progress);
}

Name name_of(const PointResult& point) {
    return {.operation = point.operation,
            .size = point.size,
            .procs = point.procs,
            .scheme = point.scheme,
            .progress = point.progress};
}

std::string processes_text(int procs) {
    return fmt::format("{} {}", procs, procs == 1 ? "process" : "processes");
}

bool has_sizes(const std::string& operation) {
    const auto* known = plan::known_operation(operation);
    return known == nullptr || known->sized;
}

}  // namespace fathom::analysis
