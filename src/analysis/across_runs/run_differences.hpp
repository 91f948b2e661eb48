#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/across_runs/measured_run.hpp"

namespace fathom::analysis {

/// What two runs may differ in.
enum class DifferenceKind {
    library,
    machine,
    platform,
    hosts,
    placement,
    binding,
    kernel,
    processor,
    governor,
    clock_source,
    fathom_version,
    processes,  ///< their counts; runs that differ in these may be compared, but not merged
    variable,   ///< of the environment, that steers an MPI library
    setting     ///< of the plan, that changes what is measured
};
constexpr std::array<std::string_view, 14> enum_names(DifferenceKind /*unused*/) {
    return {"library",   "machine",  "platform",     "hosts",          "placement", "binding",  "kernel",
            "processor", "governor", "clock-source", "fathom-version", "processes", "variable", "setting"};
}

/// Something in which two runs differ.
struct Difference {
    DifferenceKind kind = DifferenceKind::setting;
    std::string name = {};                ///< of a variable or setting
    std::vector<std::string> first = {};  ///< its value, or those of all hosts; none: not known or not set
    std::vector<std::string> second = {};
    int rank = 0;  ///< the first whose placement or binding differs
    std::map<std::string, int> first_hosts =
        {};  ///< processes on hosts that the other run does not use alike
    std::map<std::string, int> second_hosts = {};
    bool hosts_known = true;  ///< of both runs

    /// Whether they were told to measure something else.
    [[nodiscard]] bool setting() const { return kind == DifferenceKind::setting; }
};

/// In which way they do: the MPI library and its version, the variables that steer it, hosts with their
/// kernels, processors and governors, where ranks were, kind of machine, clock source, version of fathom, and
/// those settings of their plans that change what is measured. Not in process counts.
std::vector<Difference> differences(const MeasuredRun& first, const MeasuredRun& second);

}  // namespace fathom::analysis
