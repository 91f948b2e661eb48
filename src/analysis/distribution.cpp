#include "analysis/distribution.hpp"

namespace fathom::analysis {

Distribution distribution_of(std::span<const double> in_order) {
    return {.count = in_order.size(),
            .linear = {},
            .logarithmic = {},
            .steps = {},
            .density = {},
            .modes = {},
            .fits = {},
            .text = {}};
}

}  // namespace fathom::analysis
