#include "plan/plan.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "plan/sizes.hpp"

namespace fathom::plan {

std::string PointSpec::text() const {
    return fmt::format("{}, {} bytes, {} {}", operation, size.count, procs,
                       procs == 1 ? "process" : "processes");
}

std::vector<PointSpec> points_of(const Plan& plan, int procs) {
    const auto sizes = expand_sizes(plan.sizes);
    std::vector<PointSpec> points;
    const auto add = [&](const OperationInfo& operation, Bytes size) {
        points.push_back({.index = static_cast<int>(points.size()),
                          .operation = std::string(operation.name),
                          .pattern = std::string(operation.pattern()),
                          .procs = procs,
                          .size = size});
    };
    for (const auto& name : plan.operations) {
        const bool seen_before = std::any_of(points.begin(), points.end(),
                                             [&](const auto& point) { return point.operation == name; });
        if (seen_before) {
            continue;
        }
        const auto& operation = find_operation(name);
        if (!operation.sized) {
            add(operation, {0});
            continue;
        }
        for (const auto size : sizes) {
            add(operation, size);
        }
    }
    return points;
}

}  // namespace fathom::plan
