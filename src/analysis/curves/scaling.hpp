#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"
#include "plan/point_key.hpp"

namespace fathom::analysis {

struct PointResult;

/// Time of an operation against size: t = start + n / rate from the largest sizes on down, as far as a line
/// fits.
struct SizeScaling {
    plan::PointKey key;                ///< of no size
    double best_rate_bytes_per_s = 0;  ///< largest effective bandwidth, and where
    Bytes best_at;
    std::optional<double> asymptotic_rate_bytes_per_s;  ///< that ever larger messages approach
    std::optional<double> half_bytes;                   ///< size that reaches half of it
    std::optional<double> start_ns;                     ///< what the line takes at size 0
    Bytes fitted_from;                                  ///< sizes that the line was fitted to
    Bytes fitted_to;
};

/// What is wrong with a curve: a larger message is faster, more processes are faster, or a step up.
enum class AnomalyKind { hump, procs, jump };
constexpr std::array<std::string_view, 3> enum_names(AnomalyKind /*unused*/) {
    return {"hump", "procs", "jump"};
}

/// Something in a curve that a sound library does not do.
struct Anomaly {
    AnomalyKind kind = AnomalyKind::jump;
    plan::PointKey key;    ///< of the slower point
    plan::PointKey other;  ///< of the point it is compared with
    double time_ns = 0;
    double other_ns = 0;
    double factor = 1;
    double p_value = 1;  ///< after correction for how many were looked at
};

/// A performance guideline that does not hold: an operation that is slower than others that do its work.
struct Violation {
    std::string guideline;   ///< `allreduce <= reduce + bcast`
    std::string others;      ///< what it should not be slower than: `reduce + bcast`
    bool of_larger = false;  ///< a message is slower than a larger one of the same operation
    plan::PointKey key;
    double time_ns = 0;
    double bound_ns = 0;  ///< what the others take together
    double factor = 1;
    double p_value = 1;  ///< after correction for how many were looked at
};

struct Scaling {
    std::vector<SizeScaling> sizes;
    std::vector<Anomaly> anomalies;                ///< the largest factor first
    std::vector<Violation> violations;             ///< the largest factor first
    std::vector<plan::PointKey> curves_looked_at;  ///< for anomalies
    std::vector<plan::PointKey>
        guidelines_checked;  ///< points at which all parts of a guideline were measured
};

/// The smallest factor to report, even if smaller ones are significant.
inline constexpr double telling_factor = 1.05;

/// Of the points of one run. `simulated` ones have no scatter besides their intervals; the standard error of
/// others is at least 1 % of their time. Anomalies and violations are significant at 5 % over all
/// that were looked at (Holm), and by a factor of 1.05 at least. Without `equal_blocks`, those of collectives
/// that may have unequal blocks are not checked against guidelines.
Scaling scaling_of(const std::vector<PointResult>& points, bool simulated, bool equal_blocks = true);

}  // namespace fathom::analysis
