#include "cli/tune_order.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "plan/implementations.hpp"

namespace fathom::cli {
namespace {

/// The data of the first call are checked like those of all others.
constexpr int calls_in_order = 3;

}  // namespace

std::set<tune::RacePoint> sizes_in_order(SearchRuns& runs, const tune::TunedOperation& tuned) {
    auto plan = runs.plan();
    plan.operations = {tuned.operation};
    plan.procs = {fmt::format("{}", tuned.procs)};
    plan.operation.reduce_op = plan::ReduceOp::user_ordered;
    plan.operation.type = plan::ElementType::automatic;
    plan.verify = true;
    plan.reps = calls_in_order;
    plan.runs = 1;
    plan.via.clear();
    plan.sizes.clear();
    std::set<tune::RacePoint> asked;
    for (const auto& proposal : tuned.proposals) {
        for (const auto& at : proposal.sizes) {
            asked.insert({proposal.way, at.size});
        }
    }
    std::set<std::string> ways;
    std::set<Bytes> sizes;
    for (const auto& point : asked) {
        ways.insert(tuned.ways[point.way]);
        sizes.insert(point.size);
    }
    plan.via.assign(ways.begin(), ways.end());
    for (const auto size : sizes) {
        plan.sizes.push_back(fmt::format("{}", size.count));
    }
    const auto run = runs.measure({.number = fmt::format("order-{}-{}", tuned.operation, tuned.procs),
                                   .plan = plan,
                                   .wanted = {},
                                   .same_kind = [](const plan::PointKey& ended, const plan::PointKey& other) {
                                       return ended.implementation == other.implementation;
                                   }});
    std::set<tune::RacePoint> found;
    for (const auto& row : run ? runs.store().points(*run) : std::vector<store::PointRow>{}) {
        const auto way = std::ranges::find(tuned.ways, plan::to_text(plan::implementation_of(row.key)));
        const tune::RacePoint point{static_cast<std::size_t>(way - tuned.ways.begin()), row.key.size};
        if (row.status == store::PointStatus::ok && asked.contains(point)) {
            found.insert(point);
        }
    }
    return found;
}

}  // namespace fathom::cli
