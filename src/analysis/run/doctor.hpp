#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "machine/facts.hpp"
#include "machine/leftovers.hpp"
#include "store/rows.hpp"

namespace fathom::analysis {

/// A process, with what matters for a diagnosis.
struct Placement {
    int rank = 0;
    std::string binding;
};

/// One host and what is to run on it.
struct HostState {
    std::string host;
    machine::Facts facts;
    std::vector<Placement> ranks;                   ///< empty: nothing is known of processes
    std::string build_type;                         ///< of the program that measures
    std::vector<machine::Leftover> leftovers = {};  ///< of killed MPI jobs
};

/// What on a host disturbs measurements; the names are the codes of stored warnings.
enum class TroubleKind {
    governor,
    oversubscription,
    unbound,
    clock,
    debug_build,
    load,
    virtual_machine,
    leftovers
};
constexpr std::array<std::string_view, 8> enum_names(TroubleKind /*unused*/) {
    return {"governor", "oversubscription", "unbound",  "clock", "debug-build",
            "load",     "virtual",          "leftovers"};
}

/// One such trouble. report/sentences/doctor.hpp says it, with what to do about it.
struct HostTrouble {
    TroubleKind kind = TroubleKind::governor;
    std::string setting;               ///< the governor, the clock source or the load average
    std::int64_t ranks = 0;            ///< of oversubscription all, of unbound ones those
    std::int64_t all_ranks = 0;        ///< of unbound ones
    std::int64_t processors = 0;       ///< of oversubscription (those that ranks may use) and load
    std::int64_t host_processors = 0;  ///< of oversubscription, all there are
    std::int64_t segments = 0;         ///< of leftovers
    std::int64_t session_folders = 0;  ///< the same
    Bytes size;                        ///< of all of them
    std::string example;               ///< the path of one
    std::vector<std::string> hosts;

    [[nodiscard]] store::Severity severity() const;
    /// The same trouble, whatever the hosts.
    [[nodiscard]] bool same_as(const HostTrouble& other) const;
};

/// What on these hosts disturbs measurements, the serious ones first. The same trouble on many hosts is one
/// finding.
std::vector<HostTrouble> diagnose(const std::vector<HostState>& hosts);

}  // namespace fathom::analysis
