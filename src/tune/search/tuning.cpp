#include "tune/search/tuning.hpp"

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

}  // namespace fathom::tune
