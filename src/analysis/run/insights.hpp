#pragma once

#include <string>
#include <vector>

#include "base/units.hpp"

namespace fathom::analysis {

struct RunResult;

/// One thing that matters, in a sentence with its number.
struct Insight {
    std::string kind;  ///< which analysis says so, and which chart shows it: timeouts, tails, guideline, ...
    PointKey key;      ///< of the point or curve it speaks of; empty if it speaks of the run
    bool sized = false;  ///< false: it speaks of the whole curve, or of the run
    double weight = 0;   ///< by how much it matters: about the factor that could be gained
    std::string text;    ///< a sentence, without its full stop
    std::string remedy;  ///< what to do about it, where that is known
};

/// What matters most in a run, the most first.
std::vector<Insight> insights_of(const RunResult& result);

}  // namespace fathom::analysis
