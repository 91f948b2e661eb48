#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "plan/point_key.hpp"

namespace fathom::analysis {

struct RunResult;

/// Which analysis says so, and which chart shows it.
enum class InsightKind {
    failed,
    disturbed,
    timeouts,
    explanation,
    tails,
    distribution,
    protocol_switch,
    hump,
    procs,
    jump,
    guideline,
    matrix,
    overlap
};
constexpr std::array<std::string_view, 13> enum_names(InsightKind /*unused*/) {
    return {"failed", "disturbed", "timeouts", "explanation", "tails",  "distribution", "switch",
            "hump",   "procs",     "jump",     "guideline",   "matrix", "overlap"};
}

/// One thing that matters, in a sentence with its number.
struct Insight {
    InsightKind kind = InsightKind::failed;
    plan::PointKey key;  ///< of the point or curve it speaks of; empty if it speaks of the run
    bool sized = false;  ///< false: it speaks of the whole curve, or of the run
    double weight = 0;   ///< by how much it matters: about the factor that could be gained
    std::string text;    ///< a sentence, without its full stop
    std::string remedy;  ///< what to do about it, where that is known
};

/// What matters most in a run, the most first.
std::vector<Insight> insights_of(const RunResult& result);

}  // namespace fathom::analysis
