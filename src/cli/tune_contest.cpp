#include "cli/tune_contest.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "analysis/point/quality.hpp"
#include "analysis/run/run_result.hpp"
#include "plan/implementations.hpp"
#include "report/output.hpp"

namespace fathom::cli {
namespace {

using launch::Outcome;
using tune::RaceStage;

/// Simulated calls are all alike, but for the first ones: what the calls before left under way. Two calls
/// before have tried and checked the data, one tells how long they take, by which starts are announced early
/// enough, and the median leaves out the first of three.
constexpr std::int64_t warmup_calls = 1;
constexpr std::int64_t timed_calls = 3;

/// Of the time for an operation with one number of processes. Rounds of a race and of locating may be
/// several, and end the search when no time is left for the next one.
double share_of(RaceStage stage) {
    switch (stage) {
        case RaceStage::scout:
            return 0.3;
        case RaceStage::race:
            return 0.12;
        case RaceStage::decide:
            return 0.2;
        default:
            return 0.06;
    }
}

}  // namespace

Contest::Contest(SearchRuns& runs, const MeasureOptions& options, std::string operation, int procs,
                 std::vector<std::string> ways, double budget_s, bool limited)
    : runs_(runs),
      options_(options),
      operation_(std::move(operation)),
      procs_(procs),
      ways_(std::move(ways)),
      budget_s_(budget_s),
      limited_(limited),
      begun_s_(runs.elapsed_s()) {}

std::optional<tune::RaceOutcome> Contest::measure(const tune::RaceRound& round) {
    if (runs_.outcome().kind != Outcome::Kind::done || !has_time_for(round)) {
        return std::nullopt;
    }
    const SearchRound measured{.number = fmt::format("{}-{}-{}", operation_, procs_, round.number),
                               .plan = plan_of(round),
                               .wanted = [&](const plan::PointKey& key) { return is_in(round, key); },
                               .same_kind =
                                   [](const plan::PointKey& ended, const plan::PointKey& other) {
                                       return ended.implementation == other.implementation;
                                   }};
    say(round, runs_.stored(measured.number));
    const auto run = runs_.measure(measured);
    if (!run) {
        return std::nullopt;
    }
    if (const auto launched = launches_in(*run); launched < measured.plan.runs.value_or(1)) {
        launches_per_s_ = static_cast<double>(launched) / time_for(round.stage);
    }
    return outcome_of(*run);
}

std::int64_t Contest::launches_in(std::int64_t run) const {
    std::int64_t most = 0;
    for (const auto& row : runs_.store().points(run)) {
        most = std::max<std::int64_t>(most, row.launch + 1);
    }
    return most;
}

/// As many as in earlier rounds, or as the time is enough for: where launching takes most of it, a few leave
/// some for measuring.
std::int64_t Contest::launches_for(RaceStage stage) const {
    const auto usual = runs_.plan().runs.value_or(1);
    return launches_per_s_ ? std::clamp(static_cast<std::int64_t>(*launches_per_s_ * time_for(stage)),
                                        std::int64_t{1}, usual)
                           : usual;
}

bool Contest::has_time_for(const tune::RaceRound& round) const {
    const double spent = runs_.elapsed_s() - begun_s_;
    return !limited_ || round.stage == RaceStage::scout || spent + time_for(round.stage) <= budget_s_;
}

double Contest::time_for(RaceStage stage) const {
    return std::max(share_of(stage) * budget_s_, plan::shortest_budget_s);
}

plan::Plan Contest::plan_of(const tune::RaceRound& round) const {
    auto plan = runs_.plan();
    std::set<std::size_t> ways;
    std::set<Bytes> sizes;
    for (const auto& point : round.points) {
        ways.insert(point.way);
        sizes.insert(point.size);
    }
    plan.operations = {operation_};
    plan.procs = {fmt::format("{}", procs_)};
    plan.via.clear();
    for (const auto way : ways) {
        plan.via.push_back(ways_[way]);
    }
    plan.sizes.clear();
    for (const auto size : sizes) {
        plan.sizes.push_back(fmt::format("{}", size.count));
    }
    plan.between_runs_percent = 0;  // all that is compared is in one run
    if (runs_.simulated()) {
        plan.warmup = plan.warmup.value_or(warmup_calls);
        plan.reps = plan.reps.value_or(timed_calls);
    } else {
        plan.budget_s = time_for(round.stage);
        plan.runs = launches_for(round.stage);
        plan.point_timeout_s = patience_of_round(plan);
    }
    return plan;
}

std::optional<std::size_t> Contest::way_of(const plan::PointKey& key) const {
    const auto name = plan::to_text(plan::implementation_of(key));
    const auto found = std::ranges::find(ways_, name);
    return found == ways_.end() ? std::nullopt
                                : std::optional(static_cast<std::size_t>(found - ways_.begin()));
}
bool Contest::is_in(const tune::RaceRound& round, const plan::PointKey& key) const {
    const auto way = way_of(key);
    return way && std::ranges::binary_search(round.points, tune::RacePoint{*way, key.size});
}

void Contest::say(const tune::RaceRound& round, const std::optional<std::int64_t>& stored) const {
    if (options_.quiet) {
        return;
    }
    report::print(stderr, "{}, {} processes, round {} ({}): {} points{}.\n", operation_, procs_, round.number,
                  to_text(round.stage), round.points.size(),
                  stored ? fmt::format(" except those already in run {}", *stored) : "");
}

tune::RaceOutcome Contest::outcome_of(std::int64_t run) const {
    tune::RaceOutcome outcome;
    // One that failed in some launches may fail in a program too.
    for (const auto& row : runs_.store().points(run)) {
        const bool failed =
            row.status == store::PointStatus::failed || row.status == store::PointStatus::died;
        if (const auto way = way_of(row.key); way && failed) {
            outcome.broken.push_back(*way);
        }
    }
    const auto evaluated = analysis::evaluate(runs_.store(), runs_.store().find_run(fmt::format("{}", run)));
    for (const auto& point : evaluated.points) {
        const auto way = way_of(point.key);
        if (!way) {
            continue;
        }
        if (const auto range = analysis::range_of(point, runs_.simulated())) {
            outcome.times.push_back({.point = {*way, point.key.size},
                                     .time_ns = point.value_ns->value,
                                     .ci95_ns = *range,
                                     .exact = runs_.simulated()});
        }
    }
    return outcome;
}

}  // namespace fathom::cli
