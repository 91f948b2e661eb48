#include "analysis/curves/cut_searches.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "plan/grid.hpp"
#include "plan/operations.hpp"
#include "stats/change_points/curve_point.hpp"
#include "stats/change_points/refinement.hpp"

namespace fathom::analysis {
namespace {

/// The points of a curve and how they lie on it.
struct LimitedCurve {
    std::vector<const PointResult*> points;
    bool over_sizes = true;

    [[nodiscard]] std::int64_t unit(const PointResult& point) const {
        return over_sizes ? plan::find_operation(point.key.operation).element : 1;
    }
    [[nodiscard]] std::int64_t value(const PointResult& point) const {
        return over_sizes ? point.key.size.count : point.key.procs;
    }
};

std::optional<stats::Interval> bounds_of(const PointResult& point, bool simulated) {
    return point.time_ns ? stats::median_bounds(*point.time_ns, simulated) : std::nullopt;
}

/// What the refinement of a range would have done next, as the probe does it.
std::optional<CutSearch::Gap> open_gap(const LimitedCurve& curve, const plan::RefinedRange& range,
                                       double goal, bool simulated) {
    const double scatter = simulated ? 0 : stats::point_scatter;
    stats::Refinement refinement(goal, std::numeric_limits<std::size_t>::max());
    std::int64_t unit = 1;
    for (const auto* point : curve.points) {
        const auto value = curve.value(*point);
        unit = curve.unit(*point);
        if (point->purpose == plan::purpose_switch || value % unit != 0 || value < range.first ||
            value > range.last) {
            continue;
        }
        const auto bounds = bounds_of(*point, simulated);
        if (!bounds) {
            refinement.skip(value / unit);
            continue;
        }
        const stats::CurvePoint at{
            .x = value / unit, .median = point->time_ns->median, .low = bounds->low, .high = bounds->high};
        refinement.add(at.x, at.median, stats::standard_error(stats::with_scatter(at, scatter)));
    }
    const auto worst = refinement.next() ? refinement.worst() : std::nullopt;
    return worst ? std::optional(CutSearch::Gap{
                       .error = worst->error, .from = worst->low * unit, .to = worst->high * unit})
                 : std::nullopt;
}

}  // namespace

std::vector<CutSearch> cut_searches(const std::vector<PointResult>& points, const plan::Plan& plan,
                                    const std::vector<SwitchSearch>& searches, bool simulated) {
    const auto procs = plan::process_grid(plan.procs).refined;
    const bool over_sizes = procs.empty();
    const auto ranges = over_sizes ? plan::size_grid(plan.sizes).refined : procs;
    if (ranges.empty() && !plan.locate_switches) {
        return {};
    }
    std::map<PointKey, LimitedCurve> curves;
    for (const auto& point : points) {
        if (!plan::find_operation(point.key.operation).sized && over_sizes) {
            continue;
        }
        auto key = over_sizes ? of_size(point.key, {}) : point.key;
        key.procs = over_sizes ? key.procs : 0;
        auto& curve = curves[key];
        curve.over_sizes = over_sizes;
        curve.points.push_back(&point);
    }
    std::vector<CutSearch> cut;
    for (const auto& [key, curve] : curves) {
        CutSearch search{.key = key,
                         .over_sizes = over_sizes,
                         .points = curve.points.size(),
                         .at_limit = curve.points.size() >= static_cast<std::size_t>(plan.max_points)};
        search.too_few_reps = static_cast<std::size_t>(std::count_if(
            curve.points.begin(), curve.points.end(),
            [&](const auto* point) { return point->time_ns && !bounds_of(*point, simulated); }));
        if (!search.at_limit && search.too_few_reps == 0) {
            continue;
        }
        for (const auto& range : ranges) {
            const auto gap = open_gap(curve, range, plan.refine_percent / 100, simulated);
            if (gap && (!search.coarse || gap->error > search.coarse->error)) {
                search.coarse = gap;
            }
        }
        search.switches_open = std::any_of(searches.begin(), searches.end(), [&](const auto& searched) {
            return searched.key == search.key && !searched.complete;
        });
        if (search.coarse || search.switches_open || search.too_few_reps > 0) {
            cut.push_back(std::move(search));
        }
    }
    return cut;
}

}  // namespace fathom::analysis
