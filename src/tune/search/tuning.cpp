#include "tune/search/tuning.hpp"

#include <algorithm>

namespace fathom::tune {

ProofVerdict ProofPoint::verdict() const {
    const auto interval = gain_interval();
    if (interval.low > 1) {
        return ProofVerdict::faster;
    }
    if (interval.high < 1) {
        return ProofVerdict::slower;
    }
    return interval.low > 1 - most_loss && interval.high < 1 + most_loss ? ProofVerdict::same
                                                                         : ProofVerdict::undecided;
}

bool ProofPoint::harmed() const {
    return verdict() == ProofVerdict::slower && gain() < 1 - most_loss;
}

bool Proof::stands() const {
    return !points.empty() && failed.empty() && std::ranges::none_of(points, [](const ProofPoint& point) {
        return point.ruled && point.harmed();
    });
}

}  // namespace fathom::tune
