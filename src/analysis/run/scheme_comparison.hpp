#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/point/point_result.hpp"
#include "plan/choices.hpp"
#include "plan/point_key.hpp"
#include "stats/reduction.hpp"
#include "store/store.hpp"

namespace fathom::analysis {

struct RunResult;

/// What differs between two ways of measuring.
enum class SchemeChange {
    over_reps,         ///< how repetitions are reduced
    over_ranks,        ///< how ranks are reduced
    whole_round_trip,  ///< not half of it
    pair,              ///< other two ranks
    barrier_start,     ///< MPI_Barrier, which ranks leave at different times
    slot_start,        ///< slots on the global clock
    in_a_row,          ///< calls overlap
    root_rotation,
    counts,           ///< other numbers of calls and of those before them
    shorter_loops,    ///< fewer calls in a row
    acknowledged,     ///< after the loop, a message from every other process
    cold_data,        ///< out of cache
    barrier_to_end,   ///< MPI_Barrier before and after the call, whose time is subtracted
    looped_messages,  ///< several messages there and back between two time stamps
};

/// What one difference between two ways of measuring does to the number.
struct SchemeEffect {
    SchemeChange change = SchemeChange::over_reps;
    double change_ns = 0;  ///< that it adds
    double unsure_ns = 0;  ///< half of the 95 % interval of that
    [[nodiscard]] bool seen() const { return change_ns > unsure_ns || -change_ns > unsure_ns; }
};

/// What a scheme reports, and the way there from fathom's own number.
struct SchemeResult {
    std::string scheme;
    plan::OverRanks over_ranks = plan::OverRanks::max;
    std::string over_reps;
    std::string pair;  ///< of operations between two ranks: `0-1`
    stats::Reduced value_ns;
    Quality quality = Quality::good;  ///< of that
    std::optional<double> start_skew_median_ns;
    std::vector<SchemeEffect> effects = {};  ///< one step after the other; they add up to the difference
    std::vector<SchemeEffect> reasons = {};  ///< those that are seen and matter, the largest first
    double remainder_ns = 0;                 ///< of the difference, besides the reasons
    double remainder_unsure_ns = 0;          ///< half of the 95 % interval of that
    bool disturbed = false;                  ///< a measurement on the way was: then there are no reasons
};

/// All schemes at one point.
struct SchemeComparison {
    plan::PointKey key;     ///< of no scheme
    std::string pair;       ///< of operations between two ranks: `0-63`
    stats::Reduced own_ns;  ///< of single calls, by default their median; collectives start together
    Quality own_quality = Quality::good;
    plan::OverRanks own_over_ranks = plan::OverRanks::max;
    std::string own_over_reps = "median";
    std::optional<double> own_skew_median_ns;
    std::vector<SchemeResult> schemes;
};

/// From the samples of a run that compared schemes, with the numbers that its points have: one step at a time
/// from fathom's way to another's, each with a measurement of its own. A scheme is left out where a step on
/// its way was not measured, a point where its own number was not.
std::vector<SchemeComparison> compare_schemes(const store::Store& store, const store::RunRow& run);
/// Of those points that a result has.
std::vector<SchemeComparison> compare_schemes(const store::Store& store, const RunResult& result);

}  // namespace fathom::analysis
