#include "cli/tune_order.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "plan/implementations.hpp"

namespace fathom::cli {
namespace {

/// The data of the first call are checked like those of all others.
constexpr int calls_in_order = 3;
/// Ways that change the order of operands make room for the next best, which is checked in its turn.
constexpr int most_order_checks = 3;

/// What ways of a reduction do with an operator that does not commute.
struct OrderOf {
    std::set<tune::RacePoint> kept;     ///< the order of its operands: results are right
    std::set<tune::RacePoint> changed;  ///< results are wrong
};

/// Calls each with such an operator and checks the data. What could not be measured is in neither.
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

}  // namespace

bool leave_out_unordered(
    SearchRuns& runs, tune::TunedOperation& tuned,
    const std::function<std::vector<tune::Proposal>(const tune::RaceResult& race)>& propose) {
    auto ordered = tuned.race;  // without times of what changes the order
    std::set<tune::RacePoint> kept;
    for (int attempt = 1; attempt <= most_order_checks; ++attempt) {
        std::set<tune::RacePoint> asked;
        for (const auto& proposal : tuned.proposals) {
            for (const auto& at : proposal.sizes) {
                asked.insert({proposal.way, at.size});
            }
        }
        std::erase_if(asked, [&](const auto& point) { return kept.contains(point); });
        if (asked.empty()) {
            return true;
        }
        const auto found = order_of(runs, tuned, asked, attempt);
        if (runs.outcome().kind != launch::Outcome::Kind::done) {
            return false;
        }
        kept.insert(found.kept.begin(), found.kept.end());
        const auto holds = [&](const tune::Proposal& proposal, const std::set<tune::RacePoint>& points) {
            return std::ranges::any_of(proposal.sizes, [&](const tune::BestWay& at) {
                return points.contains({proposal.way, at.size});
            });
        };
        for (const auto& proposal : tuned.proposals) {
            if (holds(proposal, found.changed)) {
                tuned.unordered.push_back(proposal);
            }
        }
        std::erase_if(ordered.times, [&](const tune::RaceTime& time) {
            return asked.contains(time.point) && !kept.contains(time.point);
        });
        tuned.proposals = propose(ordered);
    }
    // Others would have to be checked too.
    std::erase_if(tuned.proposals, [&](const tune::Proposal& proposal) {
        return !std::ranges::all_of(proposal.sizes, [&](const tune::BestWay& at) {
            return kept.contains({proposal.way, at.size});
        });
    });
    return true;
}

}  // namespace fathom::cli
