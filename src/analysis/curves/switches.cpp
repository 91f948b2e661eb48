#include "analysis/curves/switches.hpp"

#include <map>
#include <utility>

#include "plan/operations.hpp"
#include "stats/change_points/change_point_search.hpp"

namespace fathom::analysis {
namespace {

/// The points of one curve.
struct SearchedCurve {
    std::vector<stats::CurvePoint> coarse;           // before switches were looked for
    std::map<std::int64_t, stats::CurvePoint> more;  // measured to bisect them
};

}  // namespace

std::vector<SwitchSearch> switch_searches(const std::vector<PointResult>& points, bool simulated) {
    std::map<PointKey, SearchedCurve> curves;
    for (const auto& point : points) {
        const auto element = plan::find_operation(point.key.operation).element;
        const auto bounds = point.time_ns ? stats::median_bounds(*point.time_ns) : std::nullopt;
        if (point.status != PointStatus::ok || !bounds || point.key.size.count % element != 0) {
            continue;
        }
        auto& curve = curves[of_size(point.key, {})];
        const stats::CurvePoint at{.x = point.key.size.count / element,
                                   .median = point.time_ns->median,
                                   .low = bounds->low,
                                   .high = bounds->high};
        if (point.purpose == plan::purpose_switch) {
            curve.more[at.x] = at;
        } else {
            curve.coarse.push_back(at);
        }
    }
    std::vector<SwitchSearch> searches;
    for (const auto& [key, curve] : curves) {
        SwitchSearch searched{.key = key};
        stats::ChangePointSearch search(curve.coarse, simulated ? 0 : stats::point_scatter);
        while (const auto place = search.next()) {
            const auto known = curve.more.find(*place);
            if (known == curve.more.end()) {
                searched.complete = false;
                search.give_up();
            } else {
                search.add(known->second);
            }
        }
        for (auto place : search.found()) {
            const auto element = plan::find_operation(key.operation).element;
            place.last_below *= element;
            place.first_above *= element;
            searched.found.push_back({.key = key, .element = element, .found = place});
        }
        searches.push_back(std::move(searched));
    }
    return searches;
}

std::vector<FoundSwitch> switches_of(const std::vector<SwitchSearch>& searches) {
    std::vector<FoundSwitch> found;
    for (const auto& search : searches) {
        found.insert(found.end(), search.found.begin(), search.found.end());
    }
    return found;
}

}  // namespace fathom::analysis
