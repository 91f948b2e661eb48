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

/// Where the median of a point beside a switch may lie; nothing of one that was disturbed, nor of an
/// imprecise one whose curve has no jump there: a bend is a matter of little differences.
std::optional<stats::Interval> reach_beside(const FoundSwitch& at, const PointResult& point, bool simulated) {
    const bool usable = point.trusted() || (point.status == PointStatus::ok && at.found.jump &&
                                            point.quality == Quality::imprecise);
    return usable && point.time_ns ? stats::median_bounds(*point.time_ns, simulated) : std::nullopt;
}

}  // namespace

std::vector<SwitchSearch> switch_searches(const std::vector<PointResult>& points, bool simulated) {
    std::map<PointKey, SearchedCurve> curves;
    for (const auto& point : points) {
        const auto element = plan::find_operation(point.key.operation).element;
        const auto bounds = point.time_ns ? stats::median_bounds(*point.time_ns, simulated) : std::nullopt;
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

bool stands(const FoundSwitch& at, const std::vector<PointResult>& points, bool simulated) {
    std::vector<stats::Interval> reaches;
    bool all_trusted = true;
    for (const auto& point : points) {
        const auto size = point.key.size.count;
        if (of_size(point.key, {}) != at.key ||
            (size != at.found.last_below && size != at.found.first_above)) {
            continue;
        }
        const auto reach = reach_beside(at, point, simulated);
        if (!reach) {
            return false;
        }
        reaches.push_back(*reach);
        all_trusted = all_trusted && point.trusted();
    }
    return all_trusted ||
           (reaches.size() == 2 && (reaches[0].high < reaches[1].low || reaches[1].high < reaches[0].low));
}

}  // namespace fathom::analysis
