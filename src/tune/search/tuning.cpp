#include "tune/search/tuning.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

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

std::vector<ProofPoint> Proof::losses() const {
    struct Sum {
        bool ruled = false;
        double of_logarithms = 0;  // a gain of 10 % makes up for a loss of 10 %
    };
    std::map<std::pair<std::string_view, int>, Sum> sums;
    for (const auto& point : points) {
        auto& sum = sums[{point.operation, point.procs}];
        sum.ruled = sum.ruled || point.ruled;
        sum.of_logarithms += std::log(point.gain());
    }
    std::vector<ProofPoint> found;
    std::ranges::copy_if(points, std::back_inserter(found), [&](const ProofPoint& point) {
        const auto& sum = sums[{point.operation, point.procs}];
        return !point.ruled && point.harmed() && sum.ruled && sum.of_logarithms <= 0;
    });
    return found;
}

bool Proof::stands() const {
    const bool lost =
        std::ranges::any_of(points, [](const ProofPoint& point) { return point.ruled && point.harmed(); });
    return !points.empty() && failed.empty() && !lost && losses().empty();
}

}  // namespace fathom::tune
