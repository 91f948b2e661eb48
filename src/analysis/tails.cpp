#include "analysis/tails.hpp"

namespace fathom::analysis {

Tails tails_of(std::span<const double> in_order) {
    Tails tails;
    tails.count = in_order.size();
    return tails;
}

}  // namespace fathom::analysis
