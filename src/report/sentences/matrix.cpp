#include "report/sentences/matrix.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/units.hpp"

namespace fathom::report {
namespace {

using analysis::ComponentKind;
using analysis::SlowComponent;

std::string component_text(const SlowComponent& component) {
    switch (component.kind) {
        case ComponentKind::process:
            return fmt::format("process {} on {}", name_of(component), component.hosts.front());
        case ComponentKind::host:
            return "host " + name_of(component);
        case ComponentKind::link:
            break;
    }
    return "link between " + name_of(component);
}

}  // namespace

std::string name_of(const SlowComponent& component) {
    return component.rank ? fmt::format("{}", *component.rank)
                          : fmt::format("{}", fmt::join(component.hosts, " and "));
}

std::string sentence(const SlowComponent& component) {
    const auto rate = [&](double time_ns) {
        constexpr double ns_per_s = 1e9;
        return rate_text(static_cast<double>(component.key.size.count) / time_ns * ns_per_s);
    };
    const auto rates =
        component.key.size < analysis::rates_from
            ? std::string()
            : fmt::format(", {} against {}", rate(component.time_ns), rate(component.median_ns));
    const auto* with = component.kind == ComponentKind::link ? ""
                       : component.within                    ? " within it"
                                                             : " with others";
    return fmt::format("{}: {} messages{} take {:.1f} times the median ({} against {}{})",
                       component_text(component), exact_text(component.key.size), with, component.factor,
                       time_text(component.time_ns), time_text(component.median_ns), rates);
}

std::string_view level_text(analysis::PairLevel level) {
    switch (level) {
        case analysis::PairLevel::same_numa_node:
            return "within a NUMA node";
        case analysis::PairLevel::same_socket:
            return "within a socket";
        case analysis::PairLevel::other_socket:
            return "between sockets";
        case analysis::PairLevel::same_host:
            return "within a host";
        case analysis::PairLevel::other_host:
            return "between hosts";
    }
    return {};
}

std::string sentence(analysis::MatrixLimit limit) {
    switch (limit) {
        case analysis::MatrixLimit::few_repetitions:
            return "too few repetitions to tell what stands out";
        case analysis::MatrixLimit::two_hosts:
            return "with only two hosts, a slow one cannot be identified";
        case analysis::MatrixLimit::disturbed:
            return "a matrix was disturbed by other programs most of the time and says nothing of slow "
                   "processes, hosts and links";
        case analysis::MatrixLimit::two_processes:
            break;
    }
    return "with only two processes, there is nothing to compare with";
}

std::string remark_on(const analysis::SlowComponents& components) {
    return components.limit ? sentence(*components.limit) : "";
}

}  // namespace fathom::report
