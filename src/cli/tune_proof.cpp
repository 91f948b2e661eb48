#include "cli/tune_proof.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "analysis/point/quality.hpp"
#include "analysis/run/run_result.hpp"
#include "plan/varied_settings.hpp"

namespace fathom::cli {
namespace {

using launch::Outcome;
using tune::ProofPoint;
using tune::ProofRequest;
using tune::ProvenOperation;

/// The two settings of a proof.
struct Sides {
    std::vector<std::string> vary;  ///< as a plan has them
    std::string without;            ///< as keys of points have them
    std::string with;
};

Sides sides_of(const ProofRequest& request) {
    Sides sides;
    for (const auto& [variable, value] : request.variables) {
        sides.vary.push_back(plan::to_text(plan::VariedSetting{
            .variable = variable, .name = {}, .values = {std::string(plan::unset_value), value}}));
    }
    // Of all combinations the first has none of the variables and the last has all.
    const auto all = plan::combinations(sides.vary);
    sides.without = all.front().text;
    sides.with = all.back().text;
    return sides;
}

/// Each setting has launches of its own, which differ: one says nothing of others, and its value may be
/// anywhere among its times.
std::optional<stats::Interval> range_over_launches(const analysis::PointResult& point) {
    const bool several = point.launches && point.launches->values_ns.size() > 1;
    const auto range = analysis::range_of(point, false);
    return !range || several ? range : analysis::usual_times(point);
}

/// As `show` has it, where it is one over launches that can be relied on.
std::optional<stats::Interval> interval_over_launches(const analysis::PointResult& point) {
    const bool several = point.launches && point.launches->values_ns.size() > 1;
    return several && point.quality != analysis::Quality::disturbed ? point.value_ns->ci95 : std::nullopt;
}

const ProvenOperation* find(const std::vector<ProvenOperation>& operations, const plan::PointKey& key) {
    const auto found = std::ranges::find_if(operations, [&](const ProvenOperation& one) {
        return one.operation == key.operation && one.procs == key.procs &&
               (one.sizes == std::vector<Bytes>{{0}} || std::ranges::binary_search(one.sizes, key.size));
    });
    return found == operations.end() ? nullptr : &*found;
}

plan::Plan plan_of(const SearchRuns& runs, const ProofRequest& request, const Sides& sides, int procs,
                   double budget_s) {
    auto plan = runs.plan();
    plan.via.clear();
    plan.vary = sides.vary;
    plan.procs = {fmt::format("{}", procs)};
    plan.operations.clear();
    std::set<Bytes> sizes;
    for (const auto& one : request.operations) {
        if (one.procs == procs) {
            plan.operations.push_back(one.operation);
            sizes.insert(one.sizes.begin(), one.sizes.end());
        }
    }
    plan.sizes.clear();
    for (const auto size : sizes) {
        plan.sizes.push_back(fmt::format("{}", size.count));
    }
    plan.between_runs_percent = 0;  // all that is compared is in one run
    plan.over_reps = request.metric;
    plan.budget_s = std::max(budget_s, plan::shortest_budget_s);
    plan.point_timeout_s = patience_of_round(plan);
    return plan;
}

/// Sizes with rules that could not be measured with the files, or not in all launches.
void add_failed(const std::vector<store::PointRow>& rows, const ProofRequest& request, const Sides& sides,
                int procs, tune::Proof& proof) {
    for (const auto& operation : request.operations) {
        for (std::size_t at = 0; operation.procs == procs && at < operation.sizes.size(); ++at) {
            if (!operation.ruled[at]) {
                continue;
            }
            const auto size = operation.sizes[at];
            const auto there = [&](const store::PointRow& row) {
                return row.key.operation == operation.operation && row.key.procs == procs &&
                       row.key.size == size && row.key.setting == sides.with;
            };
            const auto failed = std::ranges::find_if(rows, [&](const store::PointRow& row) {
                return there(row) && row.status != store::PointStatus::ok &&
                       row.status != store::PointStatus::pending;
            });
            const bool compared = std::ranges::any_of(proof.points, [&](const ProofPoint& point) {
                return point.operation == operation.operation && point.procs == procs && point.size == size;
            });
            if (failed != rows.end() || !compared) {
                proof.failed.push_back(
                    {.operation = operation.operation,
                     .procs = procs,
                     .size = size,
                     .reason = failed != rows.end() ? failed->reason : "it was not measured both ways"});
            }
        }
    }
}

/// What was asked for among the points of a run, with what the files have rules for.
void add_points(const analysis::RunResult& result, const ProofRequest& request, const Sides& sides,
                std::vector<ProofPoint>& proof) {
    for (auto& point : compare_settings(result, sides.without, sides.with)) {
        const auto* const operation = find(
            request.operations, {.operation = point.operation, .procs = point.procs, .size = point.size});
        if (operation != nullptr) {
            const auto at = std::ranges::lower_bound(operation->sizes, point.size) - operation->sizes.begin();
            point.ruled = operation->ruled[static_cast<std::size_t>(at) % operation->ruled.size()];
            proof.push_back(std::move(point));
        }
    }
}

}  // namespace

std::vector<ProofPoint> compare_settings(const analysis::RunResult& result, const std::string& without,
                                         const std::string& with) {
    std::map<plan::PointKey, const analysis::PointResult*> others;
    for (const auto& point : result.points) {
        if (point.key.setting == with && range_over_launches(point)) {
            auto key = point.key;
            key.setting = without;
            others[key] = &point;
        }
    }
    std::vector<ProofPoint> found;
    for (const auto& point : result.points) {
        const auto after = others.find(point.key);
        const auto before = range_over_launches(point);
        if (after == others.end() || !before) {
            continue;
        }
        found.push_back({.operation = point.key.operation,
                         .procs = point.key.procs,
                         .size = point.key.size,
                         .before_ns = point.value_ns->value,
                         .before_range_ns = *before,
                         .after_ns = after->second->value_ns->value,
                         .after_range_ns = range_over_launches(*after->second).value(),
                         .before_ci95_ns = interval_over_launches(point),
                         .after_ci95_ns = interval_over_launches(*after->second)});
    }
    std::ranges::stable_sort(found, {}, [](const ProofPoint& point) {
        return std::pair(std::string_view(point.operation), point.size);
    });
    return found;
}

tune::Proof prove(SearchRuns& runs, const ProofRequest& request, const std::string& number, double budget_s) {
    const auto sides = sides_of(request);
    std::set<int> counts;
    for (const auto& one : request.operations) {
        counts.insert(one.procs);
    }
    tune::Proof proof;
    for (const int procs : counts) {
        const SearchRound round{
            .number = fmt::format("{}-{}", number, procs),
            .plan = plan_of(runs, request, sides, procs, budget_s / static_cast<double>(counts.size())),
            .wanted =
                [&](const plan::PointKey& key) {
                    return (key.setting == sides.without || key.setting == sides.with) &&
                           find(request.operations, key) != nullptr;
                },
            .same_kind = [](const plan::PointKey& ended,
                            const plan::PointKey& other) { return ended == other; }};
        const auto run = runs.measure(round);
        if (!run) {
            break;
        }
        add_points(analysis::evaluate(runs.store(), runs.store().find_run(fmt::format("{}", *run))), request,
                   sides, proof.points);
        add_failed(runs.store().points(*run), request, sides, procs, proof);
    }
    return proof;
}

}  // namespace fathom::cli
