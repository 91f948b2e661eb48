#pragma once

#include <string>
#include <vector>

namespace fathom::analysis {

struct RunResult;

/// What a run says about the machine as a whole, if a verdict was requested.
struct Verdict {
    bool accepted = true;
    std::vector<std::string> reasons;  ///< against it, each a sentence
    std::vector<std::string> remarks;  ///< that make it less certain
};

Verdict judge(const RunResult& result);

}  // namespace fathom::analysis
