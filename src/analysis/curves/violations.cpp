#include "analysis/curves/violations.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "analysis/curves/curves.hpp"
#include "analysis/curves/guidelines.hpp"
#include "plan/operations.hpp"
#include "stats/comparison/multiple_tests.hpp"

namespace fathom::analysis {
namespace {

/// The bytes that guidelines count in: of a process's block, where there are blocks; nothing if a total does
/// not divide.
std::optional<std::int64_t> guideline_bytes(const PointResult& point) {
    if (point.size_as != plan::SizeAs::total) {
        return point.key.size.count;
    }
    return point.key.size.count % point.key.procs == 0 ? std::optional(point.key.size.count / point.key.procs)
                                                       : std::nullopt;
}

std::optional<std::int64_t> size_of_part(PartSize part, std::int64_t size, int procs) {
    const auto divided = [&](std::int64_t by) {
        return size % by == 0 ? std::optional(size / by) : std::nullopt;
    };
    switch (part) {
        case PartSize::same:
            return size;
        case PartSize::half:
            return divided(2);
        case PartSize::twice:
            return 2 * size;
        case PartSize::by_procs:
            return divided(procs);
        case PartSize::times_procs:
            return size * procs;
    }
    return std::nullopt;
}

/// All points with a time, to be found by what they are.
class Points {
  public:
    Points(const std::vector<PointResult>& points, bool simulated) {
        for (const auto& point : points) {
            const auto at = timed(point, simulated);
            const auto size = guideline_bytes(point);
            if (at && size) {
                found_.emplace(place_of(point.key, point.key.operation, *size), *at);
            }
        }
    }

    [[nodiscard]] const TimedPoint* find(const std::string& operation, const PointResult& like,
                                         std::int64_t size) const {
        const auto at = found_.find(place_of(like.key, operation, size));
        return at == found_.end() ? nullptr : &at->second;
    }

  private:
    /// Under which a point of another operation is found, all else being equal. Which processes communicate
    /// follows from the operation; what one process does by itself does not depend on how many there are.
    static PointKey place_of(PointKey key, const std::string& operation, std::int64_t size) {
        key.operation = operation;
        key.pattern.clear();
        key.size = {size};
        key.procs = plan::find_operation(operation).kind == plan::Kind::single ? 1 : key.procs;
        return key;
    }

    std::map<PointKey, TimedPoint> found_;
};

/// What the parts of a guideline take together, with its standard error.
struct Bound {
    double time_ns = 0;
    double error_ns = 0;
};

std::optional<Bound> bound_of(const Guideline& guideline, const PointResult& point, const Points& points) {
    const auto size = guideline_bytes(point);
    if (!size) {
        return std::nullopt;
    }
    Bound bound;
    for (const auto& part : guideline.parts) {
        const auto own_size = size_of_part(part.size, *size, point.key.procs);
        const auto* at =
            own_size ? points.find(std::string(part.operation.empty() ? point.key.operation : part.operation),
                                   point, *own_size)
                     : nullptr;
        // Reductions of another datatype do other work; data that are only moved are bytes.
        const bool alike = at != nullptr && (plan::find_operation(at->point->key.operation).element == 1 ||
                                             plan::find_operation(point.key.operation).element == 1 ||
                                             at->point->datatype == point.datatype);
        if (!alike) {
            return std::nullopt;
        }
        bound.time_ns += part.times * at->time_ns;
        bound.error_ns = std::hypot(bound.error_ns, part.times * at->error_ns);
    }
    return bound;
}

bool concerns(const Guideline& guideline, const PointResult& point) {
    if (point.key.procs < 2 || (guideline.cold_only && point.cache != plan::Cache::cold)) {
        return false;
    }
    const auto& operation = plan::find_operation(point.key.operation);
    const bool sized = operation.sized && point.key.size.count > 0;
    return guideline.operation.empty() ? operation.group == plan::Group::collective && sized
                                       : guideline.operation == point.key.operation;
}

Violation violation_of(const Guideline& guideline, const TimedPoint& at, const Bound& bound) {
    const auto& point = *at.point;
    Violation violation;
    violation.guideline = guideline.text();
    violation.others = guideline.right;
    violation.of_larger = guideline.of_larger;
    violation.key = point.key;
    violation.time_ns = at.time_ns;
    violation.bound_ns = bound.time_ns;
    violation.factor = at.time_ns / bound.time_ns;
    return violation;
}

}  // namespace

void put_violations(Scaling& scaling, const std::vector<PointResult>& points, bool simulated) {
    const Points known(points, simulated);
    std::vector<Violation> checked;
    std::vector<double> p_values;
    for (const auto& point : points) {
        const auto at = timed(point, simulated);
        if (!at) {
            continue;
        }
        for (const auto& guideline : guidelines()) {
            const auto bound =
                concerns(guideline, point) ? bound_of(guideline, point, known) : std::optional<Bound>{};
            if (bound && bound->time_ns > 0) {
                p_values.push_back(p_exceeds(at->time_ns, at->error_ns, bound->time_ns, bound->error_ns));
                checked.push_back(violation_of(guideline, *at, *bound));
            }
        }
    }
    for (const auto& at : checked) {
        scaling.guidelines_checked.push_back(at.key);
    }
    const auto corrected = stats::holm(p_values);
    for (std::size_t i = 0; i < checked.size(); ++i) {
        checked[i].p_value = corrected[i];
        if (corrected[i] < stats::significance_level && checked[i].factor >= telling_factor) {
            scaling.violations.push_back(std::move(checked[i]));
        }
    }
    std::stable_sort(scaling.violations.begin(), scaling.violations.end(),
                     [](const auto& a, const auto& b) { return a.factor > b.factor; });
}

}  // namespace fathom::analysis
