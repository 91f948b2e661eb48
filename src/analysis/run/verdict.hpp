#pragma once

#include <string>
#include <vector>

namespace fathom::analysis {

struct RunResult;

/// What a run says of the machine as a whole, where a verdict was asked for.
struct Verdict {
    bool accepted = true;
    std::vector<std::string> reasons;  ///< against it, each a sentence
    std::vector<std::string> remarks;  ///< that make it less sure
};

Verdict judge(const RunResult& result);

}  // namespace fathom::analysis
