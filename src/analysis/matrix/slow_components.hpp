#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/matrix/matrix.hpp"
#include "base/units.hpp"

namespace fathom::analysis {

/// What can be slow.
enum class ComponentKind { process, host, link };
constexpr std::array<std::string_view, 3> enum_names(ComponentKind /*unused*/) {
    return {"process", "host", "link"};
}

/// A process, host or link that is slow against the others of a run.
struct SlowComponent {
    ComponentKind kind = ComponentKind::host;
    std::optional<int> rank;         ///< of the process
    std::vector<std::string> hosts;  ///< of the process, or the host, or both ends of the link
    bool within = false;             ///< slow among the ranks of one host, not with others
    plan::PointKey key;              ///< of the point whose matrix shows it
    double time_ns = 0;              ///< median of its pairs
    double median_ns = 0;            ///< of the pairs of the others that it is compared with
    double factor = 1;
};

/// Why a matrix allows fewer conclusions.
enum class MatrixLimit { few_repetitions, two_hosts, two_processes, disturbed };
constexpr std::array<std::string_view, 4> enum_names(MatrixLimit /*unused*/) {
    return {"few-repetitions", "two-hosts", "two-processes", "disturbed"};
}

struct SlowComponents {
    std::vector<SlowComponent> found;
    std::optional<MatrixLimit> limit;
};

/// What stands out in one matrix. Pairs between hosts and pairs within one are judged apart: a host is slow
/// if its pairs with (nearly) all others are, a link if the pairs between two hosts are while both hosts are
/// fine with the rest, a process if its pairs are while others on its host are fine.
SlowComponents slow_components_in(const MatrixResult& matrix);

/// The matrices of a run that show latency and bandwidth: of the smallest size and of the largest one, with
/// the most processes.
std::vector<const MatrixResult*> telling(const std::vector<MatrixResult>& matrices);

/// What stands out in those, but nothing of one that was disturbed.
SlowComponents slow_components_of(const std::vector<MatrixResult>& matrices);

/// Small messages are shown as times, large ones as rates.
inline constexpr Bytes rates_from{64LL * 1024};

}  // namespace fathom::analysis
