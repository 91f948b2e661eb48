#include "stats/binomial.hpp"

#include <algorithm>

#include <boost/math/special_functions/beta.hpp>

namespace fathom::stats {

double binomial_tail(double rate, double chance, double tries) {
    const double hits = std::clamp(rate, 0.0, 1.0) * tries;
    if (!(hits > 0) || chance >= 1) {
        return 1;
    }
    return chance > 0 ? boost::math::ibeta(hits, tries - hits + 1, chance) : 0;
}

}  // namespace fathom::stats
