#include "analysis/run/between_runs.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/point/launches.hpp"
#include "analysis/run/run_kind.hpp"
#include "base/error.hpp"
#include "clock/link.hpp"
#include "plan/operations.hpp"
#include "plan/plan_toml.hpp"
#include "plan/schemes.hpp"
#include "stats/student.hpp"

namespace fathom::analysis {
namespace {

/// More say little more: 10 runs give 6 degrees of freedom or more, and a machine of last year is another.
constexpr std::size_t most_runs = 10;
/// Of a run with more points, these many tell of all: the time that reading takes is bounded.
constexpr std::size_t most_keys = 100;

/// Some points of a run, evenly over all: those with several launches, or where there are none, those with
/// one. Studies take no part: what they find are no times.
std::vector<plan::PointKey> keys_of(const store::Store& store, std::int64_t run) {
    std::map<plan::PointKey, int> launches;
    std::vector<plan::PointKey> keys;
    for (const auto& point : store.points(run)) {
        const auto* operation = plan::known_operation(point.key.operation);
        if (point.damage.empty() && operation != nullptr && !operation->overlaps() &&
            operation->kind != plan::Kind::matrix && ++launches[point.key] == 1) {
            keys.push_back(point.key);
        }
    }
    const auto several = [&](const auto& key) { return launches[key] > 1; };
    if (std::ranges::any_of(keys, several)) {
        std::erase_if(keys, std::not_fn(several));
    }
    const auto every = (keys.size() + most_keys - 1) / most_keys;
    std::vector<plan::PointKey> some;
    for (std::size_t i = 0; i < keys.size(); i += every) {
        some.push_back(keys[i]);
    }
    return some;
}

/// What a point of a stored run says, by its launches; nothing where it has none or cannot be relied on.
std::optional<stats::RunValue> value_of(const std::vector<LaunchResult>& launches) {
    if (launches.empty()) {
        return std::nullopt;
    }
    const auto point = whole_point(launches).result;
    if (!point.launches || !point.sound || !(point.time_ns->median > 0)) {
        return std::nullopt;
    }
    const auto& interval = point.launches->median_ci95;
    const auto freedom = static_cast<double>(point.launch_counts.used - 1);
    const double error = (interval.high - point.time_ns->median) / stats::student_factor(freedom);
    const double relative = error / point.time_ns->median;
    return stats::RunValue{.logarithm = std::log(point.time_ns->median), .variance = relative * relative};
}

stats::RunValues values_of(const store::Store& store, const store::RunRow& run,
                           const std::vector<plan::PointKey>& keys) {
    plan::Plan plan;
    plan::read_stored_plan(plan, run.plan_toml, run.id);
    std::map<plan::PointKey, std::vector<LaunchResult>> launches;
    for (const auto& key : keys) {
        launches[key] = {};
    }
    std::map<std::int64_t, GlobalTime> clocks;
    for (const auto& row : store.points(run.id)) {
        const auto wanted = launches.find(row.key);
        if (wanted == launches.end() || !row.damage.empty() || row.status != PointStatus::ok || !row.job) {
            continue;
        }
        try {
            const auto known = clocks.find(*row.job);
            const auto& clock = known != clocks.end()
                                    ? known->second
                                    : clocks.emplace(*row.job, global_time_of(store, row)).first->second;
            const auto view = whole({}, row, plan::settings_of(plan, row.key));
            wanted->second.push_back(
                evaluate(store, row, clock, view, repetitions_of(store, row, clock, view)));
        } catch (const BadInput&) {
            continue;  // 'fathom show' says it of that run
        } catch (const clock::TooFarApart&) {
            continue;
        }
    }
    stats::RunValues values;
    for (const auto& key : keys) {
        values.push_back(value_of(launches.at(key)));
    }
    return values;
}

/// The runs of the same kind that were finished before, the oldest first.
std::vector<store::RunRow> earlier_runs(const store::Store& store, const store::RunRow& run) {
    const auto kind = kind_of(store, run);
    auto rows = store.runs();
    std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.id > b.id; });
    const auto turns_of = [&](const store::RunRow& row) {
        return Turns{
            .run = row.id, .in_turn_with = row.in_turn_with, .launch_jobs = launch_jobs_of(store, row.id)};
    };
    const auto own_turns = turns_of(run);
    std::vector<store::RunRow> found;
    std::vector<Turns> turns;  // of those found
    for (auto& row : rows) {
        const bool may_be_alike = row.id < run.id && row.status == store::RunStatus::done && !row.simulated &&
                                  row.origin != store::RunOrigin::search &&
                                  row.mpi_flavour == run.mpi_flavour && row.mpi_version == run.mpi_version &&
                                  row.procs == run.procs && row.fathom_version == run.fathom_version;
        if (!may_be_alike) {
            continue;
        }
        try {
            if (kind_of(store, row) != kind) {
                continue;
            }
        } catch (const BadInput&) {
            continue;  // of a newer fathom
        }
        auto its_turns = turns_of(row);
        // One launch does not show how well its value is known.
        if (its_turns.launch_jobs.size() < 2 || took_turns(its_turns, own_turns)) {
            continue;
        }
        const auto partner = std::find_if(turns.begin(), turns.end(),
                                          [&](const auto& other) { return took_turns(its_turns, other); });
        if (partner == turns.end()) {
            if (found.size() == most_runs) {
                break;
            }
            turns.push_back(std::move(its_turns));
            found.push_back(std::move(row));
        } else {
            // Of two that took turns the older one is the baseline; the other may have been changed.
            found[static_cast<std::size_t>(partner - turns.begin())] = std::move(row);
            *partner = std::move(its_turns);
        }
    }
    std::reverse(found.begin(), found.end());
    return found;
}

stats::KnownVariance known(double percent) {
    constexpr double whole = 100;
    return {.value = percent / whole * (percent / whole)};
}

}  // namespace

const stats::KnownVariance& BetweenRuns::of(const plan::PointKey& key) const {
    const auto own = points.find(key);
    return own == points.end() ? usual : own->second;
}

double BetweenRuns::percent() const {
    constexpr double whole = 100;
    return whole * std::sqrt(usual.value);
}

BetweenRuns between_runs_of(const store::Store& store, const store::RunRow& run, const plan::Plan& plan) {
    if (run.simulated) {
        return {};
    }
    // Until plans had a thread level each had this default, so that it says nothing of what was given.
    const bool by_default =
        plan.thread_levels.empty() && plan.between_runs_percent == assumed_between_runs_percent;
    if (plan.between_runs_percent && !by_default) {
        return {.source = BetweenRunsSource::given, .usual = known(*plan.between_runs_percent)};
    }
    BetweenRuns found{.source = BetweenRunsSource::assumed, .usual = known(assumed_between_runs_percent)};
    const auto keys = keys_of(store, run.id);
    if (keys.empty()) {
        return found;
    }
    std::vector<store::RunRow> rows;
    try {
        rows = earlier_runs(store, run);
    } catch (const BadInput&) {
        return found;  // its plan is one that this fathom cannot read
    }
    constexpr std::size_t least = 2;
    if (rows.size() < least) {
        return found;
    }
    std::vector<stats::RunValues> runs;
    for (const auto& row : rows) {
        auto values = values_of(store, row, keys);
        if (std::ranges::any_of(values, [](const auto& value) { return value.has_value(); })) {
            runs.push_back(std::move(values));
        }
    }
    const auto learned = stats::between_runs(runs, keys.size(), std::sqrt(found.usual.value));
    if (learned.steps == 0) {
        return found;
    }
    found.source = BetweenRunsSource::learned;
    found.runs = runs.size();
    found.changes = learned.rejected;
    found.usual = learned.usual;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        found.points.emplace(keys[i], learned.points[i]);
    }
    return found;
}

}  // namespace fathom::analysis
