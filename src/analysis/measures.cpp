#include "analysis/measures.hpp"

#include "analysis/duplex.hpp"
#include "plan/operations.hpp"

namespace fathom::analysis {

std::vector<Measure> measures_of(const store::Store& store, const store::PointRow& point) {
    if (plan::find_operation(point.operation).kind == plan::Kind::duplex) {
        return duplex_measures(store, point);
    }
    return {};
}

}  // namespace fathom::analysis
