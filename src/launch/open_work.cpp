#include "launch/open_work.hpp"

#include <algorithm>

namespace fathom::launch {

using store::PointStatus;

plan::PointSpec spec_of(const store::PointRow& point) {
    return {.index = point.position, .key = point.key, .purpose = point.purpose};
}

std::vector<Part> parts_of(const std::vector<store::PointRow>& points, int launch) {
    std::vector<Part> parts;
    for (const auto& point : points) {
        const bool known =
            std::any_of(parts.begin(), parts.end(), [&](const auto& part) { return part.has(point); });
        if (point.launch == launch && !known) {
            parts.push_back({.launch = launch, .progress = point.key.progress, .setting = point.key.setting});
        }
    }
    const bool varied =
        std::any_of(parts.begin(), parts.end(), [](const auto& part) { return !part.setting.empty(); });
    if (varied) {
        const auto first = static_cast<std::size_t>(launch) % parts.size();
        std::rotate(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(first), parts.end());
    }
    return parts;
}

std::vector<plan::PointSpec> open_points(const std::vector<store::PointRow>& points, const plan::Plan& plan,
                                         const Part& part) {
    const auto with = [&](PointStatus status) {
        std::vector<plan::PointSpec> found;
        for (const auto& point : points) {
            if (part.has(point) && point.status == status) {
                found.push_back(spec_of(point));
            }
        }
        return found;
    };
    auto order = plan::in_order(plan, with(PointStatus::pending), part.launch);
    const auto last = with(PointStatus::died);
    order.insert(order.end(), last.begin(), last.end());
    return order;
}

std::optional<Part> searching_part(const store::Store& store, std::int64_t run, const plan::Plan& plan) {
    const auto points = store.points(run);
    const auto job = store.last_job(run);
    if (!plan::searches(plan) || points.empty() || points.back().launch > 0 ||
        (job && job->state == store::JobState::complete)) {
        return std::nullopt;
    }
    // A part begins when the one before it has finished: the last that has begun is the open one.
    const auto parts = parts_of(points, 0);
    const auto begun = std::find_if(parts.rbegin(), parts.rend(), [&](const Part& part) {
        return std::any_of(points.begin(), points.end(), [&](const store::PointRow& point) {
            return part.has(point) && (point.status != PointStatus::pending || !point.reason.empty());
        });
    });
    return begun == parts.rend() ? parts.front() : *begun;
}

bool complete(const store::Store& store, std::int64_t run, const plan::Plan& plan) {
    const auto points = store.points(run);
    const bool open = std::any_of(points.begin(), points.end(), [](const auto& point) {
        return point.status == PointStatus::pending || point.status == PointStatus::died;
    });
    return !open && !points.empty() && points.back().launch + 1 >= plan.runs.value_or(1) &&
           !searching_part(store, run, plan);
}

}  // namespace fathom::launch
