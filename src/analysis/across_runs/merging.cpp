#include "analysis/across_runs/merging.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "plan/operations.hpp"
#include "stats/mean.hpp"
#include "stats/quantile.hpp"
#include "stats/student.hpp"

namespace fathom::analysis {
namespace {

/// Whether runs may differ in this and still measure the same.
bool harmless(const Difference& difference) {
    using Kind = DifferenceKind;
    return difference.kind == Kind::fathom_version || difference.kind == Kind::clock_source ||
           difference.kind == Kind::kernel || difference.kind == Kind::governor ||
           difference.kind == Kind::variable;
}

std::vector<std::string> texts_of(const std::set<int>& counts) {
    std::vector<std::string> texts;
    for (const auto count : counts) {
        texts.push_back(fmt::format("{}", count));
    }
    return texts;
}

/// How a run differs from the first; differences that rule out merging come first.
std::vector<MergedDifference> unlikeness(const MeasuredRun& first, const MeasuredRun& other) {
    auto all = differences(first, other);
    if (procs_of(first) != procs_of(other)) {
        all.push_back({.kind = DifferenceKind::processes,
                       .first = texts_of(procs_of(first)),
                       .second = texts_of(procs_of(other))});
    }
    std::stable_partition(all.begin(), all.end(), [](const auto& each) { return !harmless(each); });
    std::vector<MergedDifference> found;
    for (auto& difference : all) {
        const bool no_harm = harmless(difference);
        found.push_back({.first = first.name,
                         .other = other.name,
                         .difference = std::move(difference),
                         .harmless = no_harm});
    }
    return found;
}

void put_spread(MergedPoint& point) {
    auto sorted = point.medians_ns;
    std::sort(sorted.begin(), sorted.end());
    point.median_ns = stats::quantile(sorted, 0.5);
    point.min_ns = sorted.front();
    point.max_ns = sorted.back();
    if (sorted.size() < 2) {
        return;
    }
    const double mean = stats::mean(sorted);
    point.relative_spread = mean > 0 ? std::sqrt(stats::variance(sorted)) / mean : 0;
    const auto interval = stats::few_values_ci95(sorted);
    point.median_ci95_ns = {.low = std::max(0.0, interval.low), .high = interval.high};
}

MergedPoint merged(const std::vector<MeasuredRun>& runs, const PointKey& key) {
    MergedPoint point;
    point.key = key;
    std::optional<plan::SizeAs> size_as;
    for (const auto& run : runs) {
        const auto& all = run.result.points;
        const auto found =
            std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.key == key; });
        if (found == all.end() || found->status != PointStatus::ok || !found->time_ns) {
            point.missing.push_back({.run = run.name, .status = {}, .reason = {}, .no_times = {}});
            if (found != all.end()) {
                point.missing.back().status = found->status;
                point.missing.back().reason = found->reason;
                point.missing.back().no_times = found->no_times;
            }
            continue;
        }
        point.medians_ns.push_back(found->time_ns->median);
        point.reps += found->reps;
        point.quality = std::max(point.quality, found->quality);
        size_as = found->size_as;
    }
    if (!point.medians_ns.empty()) {
        put_spread(point);
        const Bytes block{size_as == plan::SizeAs::total ? key.size.count / key.procs : key.size.count};
        const double rate =
            plan::find_operation(key.operation).rate_bytes_per_s(block, key.procs, point.median_ns);
        point.rate_bytes_per_s = rate > 0 ? std::optional(rate) : std::nullopt;
    }
    return point;
}

/// The points of all runs, each once; those that only later runs have stand where their curve is.
std::vector<PointKey> keys_of(const std::vector<MeasuredRun>& runs) {
    std::vector<PointKey> keys;
    std::set<PointKey> seen;
    for (const auto& run : runs) {
        for (const auto& point : run.result.points) {
            auto key = point.key;
            if (!seen.insert(key).second) {
                continue;
            }
            const auto before = std::find_if(keys.rbegin(), keys.rend(), [&](const PointKey& other) {
                return other.operation == key.operation && other.procs <= key.procs &&
                       (other.procs < key.procs || other.size <= key.size);
            });
            keys.insert(before == keys.rend() ? keys.end() : before.base(), std::move(key));
        }
    }
    return keys;
}

}  // namespace

Merging merge(std::vector<MeasuredRun> runs) {
    constexpr std::size_t least = 2;
    if (runs.size() < least) {
        throw BadInput("merging takes at least two runs; 'fathom show' shows one.");
    }
    Merging merging;
    for (std::size_t i = 1; i < runs.size(); ++i) {
        for (auto& difference : unlikeness(runs.front(), runs[i])) {
            merging.differences.push_back(std::move(difference));
        }
    }
    for (const auto& key : keys_of(runs)) {
        merging.points.push_back(merged(runs, key));
    }
    merging.runs = std::move(runs);
    return merging;
}

}  // namespace fathom::analysis
