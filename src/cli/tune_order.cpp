#include "cli/tune_order.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "plan/implementations.hpp"

namespace fathom::cli {
namespace {

/// The data of the first call are checked like those of all others.
constexpr int calls_in_order = 3;

}  // namespace

OrderOf order_of(SearchRuns& runs, const tune::TunedOperation& tuned, const std::set<tune::RacePoint>& asked,
                 int attempt) {
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
    const auto point_of = [&](const plan::PointKey& key) {
        const auto way = std::ranges::find(tuned.ways, plan::to_text(plan::implementation_of(key)));
        return tune::RacePoint{static_cast<std::size_t>(way - tuned.ways.begin()), key.size};
    };
    const auto run =
        runs.measure({.number = fmt::format("order-{}-{}-{}", tuned.operation, tuned.procs, attempt),
                      .plan = plan,
                      .wanted = [&](const auto& key) { return asked.contains(point_of(key)); },
                      .same_kind = [](const plan::PointKey& ended,
                                      const plan::PointKey& other) { return ended == other; }});
    OrderOf found;
    for (const auto& row : run ? runs.store().points(*run) : std::vector<store::PointRow>{}) {
        if (row.status == store::PointStatus::ok) {
            found.kept.insert(point_of(row.key));
        } else if (row.status == store::PointStatus::failed) {
            found.changed.insert(point_of(row.key));
        }
    }
    return found;
}

}  // namespace fathom::cli
