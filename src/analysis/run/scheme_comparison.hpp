#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plan/point_key.hpp"
#include "stats/reduction.hpp"
#include "store/store.hpp"

namespace fathom::analysis {

struct RunResult;

/// What one difference between two ways of measuring does to the number.
struct SchemeEffect {
    std::string name;      ///< `pipelining`
    double change_ns = 0;  ///< that it adds
    double unsure_ns = 0;  ///< half of the 95 % interval of that
    [[nodiscard]] bool seen() const { return change_ns > unsure_ns || -change_ns > unsure_ns; }
};

/// What a scheme reports, and the way there from fathom's own number: its effects add up to the difference.
struct SchemeResult {
    std::string scheme;
    stats::Reduced value_ns;
    std::optional<double> start_skew_median_ns;
    std::vector<SchemeEffect> effects;
};

/// All schemes at one point.
struct SchemeComparison {
    plan::PointKey key;     ///< of no scheme
    stats::Reduced own_ns;  ///< slowest rank, median over repetitions, single calls started together
    std::optional<double> own_skew_median_ns;
    std::vector<SchemeResult> schemes;
};

/// From the samples of a run that compared schemes: one step at a time from fathom's way to another's, each
/// with a measurement of its own. A scheme is left out where a step on its way was not measured, a point
/// where its own number was not.
std::vector<SchemeComparison> compare_schemes(const store::Store& store, const store::RunRow& run);
/// Of those points that a result has.
std::vector<SchemeComparison> compare_schemes(const store::Store& store, const RunResult& result);

/// In words: the largest effects first, `pipelining -6.20 us, root rotation +0.41 us`.
std::string effects_text(const SchemeResult& result, double own_ns);

}  // namespace fathom::analysis
