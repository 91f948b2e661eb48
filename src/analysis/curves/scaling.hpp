#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/units.hpp"

namespace fathom::analysis {

struct PointResult;

/// Time of an operation against size: t = start + n / rate from the largest sizes on down, as far as a line
/// fits.
struct SizeScaling {
    std::string operation;
    int procs = 0;
    std::string scheme;
    std::string progress;
    double best_rate_bytes_per_s = 0;  ///< largest effective bandwidth, and where
    Bytes best_at;
    std::optional<double> asymptotic_rate_bytes_per_s;  ///< that ever larger messages come near
    std::optional<double> half_bytes;                   ///< size that reaches half of it
    std::optional<double> start_ns;                     ///< what the line takes at size 0
    Bytes fitted_from;                                  ///< sizes that the line was fitted to
    Bytes fitted_to;
    std::string text;  ///< the whole as a sentence, without its full stop
};

/// Something in a curve that a sound library does not do.
struct Anomaly {
    std::string kind;  ///< hump (a larger message is faster), procs (more processes are faster), jump
    std::string operation;
    int procs = 0;        ///< of the slower point
    Bytes size;           ///< of the slower point
    int other_procs = 0;  ///< the point it is compared with
    Bytes other_size;
    double time_ns = 0;
    double other_ns = 0;
    double factor = 1;
    double p_value = 1;  ///< after correction for how many were looked at
    std::string scheme;
    std::string progress;
    std::string text;  ///< the whole as a sentence, without its full stop
};

/// A performance guideline that does not hold: an operation that is slower than others that do its work.
struct Violation {
    std::string guideline;  ///< `allreduce <= reduce + bcast`
    std::string operation;
    int procs = 0;
    Bytes size;
    std::string scheme;
    std::string progress;
    double time_ns = 0;
    double bound_ns = 0;  ///< what the others take together
    double factor = 1;
    double p_value = 1;  ///< after correction for how many were looked at
    std::string text;    ///< the whole as a sentence, without its full stop
};

/// A point at which all parts of a guideline were measured.
struct CheckedGuideline {
    std::string operation;
    Bytes size;
};

struct Scaling {
    std::vector<SizeScaling> sizes;
    std::vector<Anomaly> anomalies;             ///< the largest factor first
    std::vector<Violation> violations;          ///< the largest factor first
    std::vector<std::string> curves_looked_at;  ///< for anomalies: their operations
    std::vector<CheckedGuideline> guidelines_checked;
};

/// A factor that is worth telling, however sure smaller ones are.
inline constexpr double telling_factor = 1.05;
/// `1.25`, `17`
std::string factor_text(double factor);

/// Of the points of one run. `simulated` ones have no scatter besides their intervals; the standard error of
/// others is taken for 1 % of their time at least. Anomalies and violations are significant at 5 % over all
/// that were looked at (Holm), and by a factor of 1.05 at least. Without `equal_blocks`, those of collectives
/// that may have others are not held against guidelines.
Scaling scaling_of(const std::vector<PointResult>& points, bool simulated, bool equal_blocks = true);

}  // namespace fathom::analysis
