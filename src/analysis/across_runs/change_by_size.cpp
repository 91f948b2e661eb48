#include "analysis/across_runs/change_by_size.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace fathom::analysis {
namespace {

/// Verdicts that alternate more often than this follow no order that a sentence can tell.
constexpr std::size_t most_ranges = 3;
/// Groups that became slower or faster and that a sentence can tell of.
constexpr std::size_t most_groups = 3;

using Verdicts = std::map<Bytes, Change>;

/// A curve over sizes, or several that agree.
struct Curves {
    std::vector<PointKey> keys;
    Verdicts verdicts;  ///< of decided sizes
    std::vector<ComparedPoint> points;

    [[nodiscard]] std::vector<ChangeRange> ranges() const;
};

std::vector<ChangeRange> Curves::ranges() const {
    const auto [smallest, largest] =
        std::ranges::minmax(points, {}, [](const auto& point) { return point.key.size; });
    std::vector<ChangeRange> found;
    for (const auto& [size, change] : verdicts) {
        if (found.empty() || found.back().change != change) {
            found.push_back({.change = change,
                             .from = {size, size},
                             .to = {size, size},
                             .from_smallest = size == smallest.key.size,
                             .to_largest = false});
        }
        found.back().to = {size, size};
        found.back().to_largest = size == largest.key.size;
    }
    return found;
}

/// The verdicts of ranges in their order.
std::vector<Change> order_of(const std::vector<ChangeRange>& ranges) {
    std::vector<Change> order;
    for (const auto& range : ranges) {
        order.push_back(range.change);
    }
    return order;
}

std::vector<Curves> curves_of(const Comparison& comparison) {
    std::vector<Curves> curves;
    for (const auto& point : comparison.points) {
        const auto key = plan::of_size(point.key, {});
        auto curve = std::ranges::find_if(curves, [&](const auto& one) { return one.keys.front() == key; });
        if (curve == curves.end()) {
            curve = curves.insert(curves.end(), {.keys = {key}, .verdicts = {}, .points = {}});
        }
        curve->points.push_back(point);
        if (point.verdict != Change::undecided) {
            curve->verdicts[point.key.size] = point.verdict;
        }
    }
    return curves;
}

void append(Curves& to, const Curves& more) {
    to.keys.insert(to.keys.end(), more.keys.begin(), more.keys.end());
    to.points.insert(to.points.end(), more.points.begin(), more.points.end());
    to.verdicts.insert(more.verdicts.begin(), more.verdicts.end());
}

/// Both in one, if no size speaks against it.
std::optional<Curves> joined(const Curves& one, const Curves& other) {
    const auto agrees = [&](const auto& of_other) {
        const auto own = one.verdicts.find(of_other.first);
        return own == one.verdicts.end() || own->second == of_other.second;
    };
    const auto order = order_of(one.ranges());
    if (order != order_of(other.ranges()) || !std::ranges::all_of(other.verdicts, agrees)) {
        return std::nullopt;
    }
    auto both = one;
    append(both, other);
    return order_of(both.ranges()) == order ? std::optional(std::move(both)) : std::nullopt;
}

ChangedCurves told(const Curves& curves) {
    ChangedCurves group{.curves = curves.keys, .ranges = curves.ranges(), .undecided = {}};
    std::vector<Bytes> sizes;
    for (const auto& point : curves.points) {
        sizes.push_back(point.key.size);
        group.slower += point.verdict == Change::slower ? 1 : 0;
        group.faster += point.verdict == Change::faster ? 1 : 0;
        group.same += point.verdict == Change::same ? 1 : 0;
        if (point.verdict == Change::undecided) {
            group.undecided.push_back(point.key);
        }
    }
    std::ranges::sort(sizes);
    group.sizes = static_cast<std::size_t>(std::unique(sizes.begin(), sizes.end()) - sizes.begin());
    if (group.ranges.size() > most_ranges) {
        group.ranges.clear();
    }
    return group;
}

void extend(SizeSpan& span, const SizeSpan& other) {
    span = {.least = std::min(span.least, other.least), .most = std::max(span.most, other.most)};
}

/// Puts another group into one, whose ranges follow each other in the same order or are given up.
void extend(ChangedCurves& group, const ChangedCurves& other) {
    group.curves.insert(group.curves.end(), other.curves.begin(), other.curves.end());
    group.undecided.insert(group.undecided.end(), other.undecided.begin(), other.undecided.end());
    group.sizes = std::max(group.sizes, other.sizes);
    group.slower += other.slower;
    group.faster += other.faster;
    group.same += other.same;
    if (order_of(group.ranges) != order_of(other.ranges)) {
        group.ranges.clear();
    }
    for (std::size_t i = 0; i < group.ranges.size(); ++i) {
        auto& range = group.ranges[i];
        extend(range.from, other.ranges[i].from);
        extend(range.to, other.ranges[i].to);
        range.from_smallest = range.from_smallest && other.ranges[i].from_smallest;
        range.to_largest = range.to_largest && other.ranges[i].to_largest;
    }
}

bool changed(const ChangedCurves& group) {
    return group.slower + group.faster > 0;
}

std::size_t changed_of(const std::vector<ChangedCurves>& groups) {
    return static_cast<std::size_t>(std::ranges::count_if(groups, changed));
}

/// Those of the same order become one. Groups without an order are one already.
std::vector<ChangedCurves> by_order(const std::vector<ChangedCurves>& groups) {
    std::vector<ChangedCurves> merged;
    for (const auto& group : groups) {
        const auto same = std::ranges::find_if(merged, [&](const auto& one) {
            return changed(one) == changed(group) && order_of(one.ranges) == order_of(group.ranges);
        });
        if (same == merged.end()) {
            merged.push_back(group);
        } else {
            extend(*same, group);
        }
    }
    return merged;
}

/// From the last one that fits on, those that changed become one, of which there is only to count.
void count_the_rest(std::vector<ChangedCurves>& groups) {
    std::size_t kept = 0;
    const auto rest = std::ranges::find_if(
        groups, [&](const auto& group) { return changed(group) && ++kept == most_groups; });
    for (auto next = rest + 1; next != groups.end() && changed(*next);) {
        extend(*rest, *next);
        rest->ranges.clear();
        next = groups.erase(next);
    }
}

}  // namespace

ChangeBySize change_by_size(const Comparison& comparison) {
    ChangeBySize change;
    std::vector<Curves> groups;
    for (const auto& curve : curves_of(comparison)) {
        change.curves.push_back(curve.keys.front());
        const auto fits =
            std::ranges::find_if(groups, [&](const auto& group) { return joined(group, curve).has_value(); });
        if (fits == groups.end()) {
            groups.push_back(curve);
        } else {
            append(*fits, curve);
        }
    }
    std::ranges::transform(groups, std::back_inserter(change.groups), told);
    if (changed_of(change.groups) > most_groups) {
        change.groups = by_order(change.groups);
    }
    std::ranges::stable_sort(change.groups, std::greater(), [](const auto& group) {
        return changed(group) ? 2 : group.same > 0 ? 1 : 0;
    });
    if (changed_of(change.groups) > most_groups) {
        count_the_rest(change.groups);
    }
    for (const auto& point : comparison.points) {
        if (point.verdict == Change::slower && (!change.slowest || point.ratio > change.slowest->ratio)) {
            change.slowest = point;
        }
        if (point.verdict == Change::faster && (!change.fastest || point.ratio < change.fastest->ratio)) {
            change.fastest = point;
        }
    }
    return change;
}

}  // namespace fathom::analysis
