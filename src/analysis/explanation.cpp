#include "analysis/explanation.hpp"

namespace fathom::analysis {

Explanation explanation_of(const Repetitions& /*repetitions*/, const Evidence& /*evidence*/,
                           const Timeouts& /*timeouts*/) {
    return {};
}

}  // namespace fathom::analysis
