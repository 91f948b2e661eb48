#include "launch/against.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <unistd.h>
#include <utility>

#include "launch/ending.hpp"
#include "launch/open_work.hpp"
#include "plan/mpi_variables.hpp"
#include "plan/plan_toml.hpp"

namespace fathom::launch {

Turns::Turns(store::Store& store, std::vector<Contender> contenders, MeasurementObserver& observer,
             JobRunner run_job)
    : store_(store), contenders_(std::move(contenders)), observer_(observer), run_job_(std::move(run_job)) {}

Outcome Turns::launch(const std::optional<std::vector<WorthMeasuring>>& worth) {
    std::vector<std::size_t> order(contenders_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (launches_ % 2 == 1) {
        std::reverse(order.begin(), order.end());
    }
    for (const auto place : order) {
        auto outcome = launch(contenders_[place], worth ? &worth->at(place) : nullptr);
        if (outcome.kind != Outcome::Kind::done) {
            return outcome;
        }
    }
    ++launches_;
    return {};
}

/// A Measurement makes the launches that its plan has and that were not made yet: one more here.
Outcome Turns::launch(Contender& contender, const WorthMeasuring* worth) {
    if (worth != nullptr) {
        const auto points = store_.points(contender.run);
        std::vector<plan::PointSpec> chosen;
        for (const auto& point : points) {
            if (point.launch == 0 && worth->contains(point.key)) {
                chosen.push_back(spec_of(point));
                chosen.back().index = points.back().position + static_cast<int>(chosen.size());
            }
        }
        if (chosen.empty()) {
            return {};
        }
        store_.add_points(contender.run, launches_, chosen);
    }
    contender.job.plan.runs = launches_ + 1;
    return Measurement(store_, contender.job, contender.run, observer_, run_job_).measure();
}

void Turns::withdraw(std::size_t place) {
    auto& contender = contenders_.at(place);
    close_run(store_, contender.run, contender.job.plan, {});
    contenders_.erase(contenders_.begin() + static_cast<std::ptrdiff_t>(place));
}

void Turns::close(const Outcome& outcome) {
    for (const auto& contender : contenders_) {
        close_run(store_, contender.run, contender.job.plan, outcome);
    }
}

TurnsEnd measure_in_turn(Turns& turns, const TurnLimits& limits,
                         const std::function<std::vector<WorthMeasuring>()>& worth,
                         const std::function<std::chrono::nanoseconds()>& now) {
    const auto begin = now();
    std::chrono::nanoseconds longest{0};
    std::optional<std::vector<WorthMeasuring>> open;
    int next_look = limits.first_look;
    for (int look = 1; look <= limits.looks; ++look, next_look *= 2) {
        while (turns.launches() < next_look) {
            const auto before = now();
            // What was measured before the first verdict may not be enough for one, but half of it is none.
            if (look > 1 && before - begin + longest > limits.budget) {
                return {.outcome = {}, .out_of_time = true};
            }
            auto outcome = turns.launch(open);
            if (outcome.kind != Outcome::Kind::done) {
                return {.outcome = std::move(outcome)};
            }
            longest = std::max(longest, now() - before);
        }
        open = worth();
        if (std::all_of(open->begin(), open->end(), [](const auto& points) { return points.empty(); })) {
            return {.outcome = {}, .decided = true};
        }
    }
    return {.outcome = {}};
}

std::vector<WorthMeasuring> worth_measuring(const analysis::Comparison& comparison) {
    WorthMeasuring of_first;
    WorthMeasuring of_second;
    for (const auto& point : comparison.points) {
        if (!point.doubt || point.doubt == analysis::Doubt::no_time) {
            continue;
        }
        of_first.insert(point.key);
        auto key = point.key;
        key.procs = point.second_procs;
        of_second.insert(std::move(key));
    }
    return {std::move(of_first), std::move(of_second)};
}

void put_variables(ResolvedJob& job, const store::EnvironmentRows& environment) {
    const auto variables = analysis::variables_of(environment);
    job.variables.assign(variables.begin(), variables.end());
    for (char** variable = environ; *variable != nullptr; ++variable) {
        const std::string_view entry(*variable);
        auto name = std::string(entry.substr(0, entry.find('=')));
        if (plan::steers_mpi(name) && !plan::set_by_launcher(name) && !variables.contains(name)) {
            job.removed_variables.push_back(std::move(name));
        }
    }
}

ResolvedJob job_again(const store::Store& store, const store::RunRow& run, bool allow_root) {
    plan::Plan plan;
    plan::read_stored_plan(plan, run.plan_toml, run.id);
    auto job = resolve(std::move(plan), allow_root);
    put_variables(job, store.environment(run.id));
    return job;
}

std::vector<analysis::Difference> not_had_again(const analysis::MeasuredRun& stored,
                                                const analysis::MeasuredRun& again) {
    using Kind = analysis::DifferenceKind;
    auto found = analysis::differences(stored, again);
    std::erase_if(found, [](const auto& difference) {
        return difference.kind != Kind::library && difference.kind != Kind::hosts &&
               difference.kind != Kind::machine && difference.kind != Kind::processor;
    });
    return found;
}

}  // namespace fathom::launch
