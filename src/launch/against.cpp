#include "launch/against.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "analysis/run/run_kind.hpp"
#include "launch/ending.hpp"
#include "launch/open_work.hpp"
#include "plan/implementations.hpp"
#include "plan/library_algorithms.hpp"
#include "plan/mpi_variables.hpp"
#include "plan/plan_toml.hpp"
#include "plan/varied_settings.hpp"

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

TurnLimits turn_limits(std::optional<double> budget_s, bool simulated) {
    TurnLimits limits;
    if (budget_s) {
        limits.budget =
            std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(*budget_s));
    }
    if (simulated) {
        limits.first_look = limits.looks = 1;
    }
    return limits;
}

double launch_allowance_s(const TurnLimits& limits) {
    constexpr int runs = 2;
    return std::chrono::duration<double>(limits.budget).count() / (runs * (limits.first_look + 1));
}

TurnsEnd measure_in_turn(Turns& turns, const TurnLimits& limits,
                         const std::function<std::vector<WorthMeasuring>()>& worth,
                         const std::function<std::chrono::nanoseconds()>& now,
                         std::optional<std::chrono::nanoseconds> since) {
    const auto begin = since.value_or(now());
    const auto ended = [&](TurnsEndKind kind) {
        return TurnsEnd{.outcome = {}, .kind = kind, .took = now() - begin};
    };
    std::optional<std::vector<WorthMeasuring>> open;
    // The next ones of each take no longer than the last: there are no more points.
    auto last = now() - begin;
    int at = limits.first_look;
    for (int look = 1; look <= limits.looks; ++look, at = next_look(at)) {
        while (turns.launches() < at) {
            const auto before = now();
            if (turns.launches() > 0 && before - begin + last > limits.budget) {
                break;
            }
            auto outcome = turns.launch(open);
            if (outcome.kind != Outcome::Kind::done) {
                return {.outcome = std::move(outcome), .kind = TurnsEndKind::failed, .took = now() - begin};
            }
            last = now() - before;
        }
        open = worth();
        if (std::all_of(open->begin(), open->end(), [](const auto& points) { return points.empty(); })) {
            return ended(TurnsEndKind::decided);
        }
        if (turns.launches() < at) {
            return ended(TurnsEndKind::out_of_time);
        }
    }
    return ended(TurnsEndKind::out_of_looks);
}

std::vector<WorthMeasuring> worth_measuring(const analysis::Comparison& comparison) {
    WorthMeasuring of_first;
    WorthMeasuring of_second;
    for (const auto& point : comparison.points) {
        // What runs at different times differ by stays, however many launches follow; it is in doubt only
        // where the baseline cannot be measured again.
        if (!point.doubt || point.doubt == analysis::Doubt::no_time ||
            point.doubt == analysis::Doubt::wide_runs) {
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

std::map<std::string, std::string> given_variables(const store::EnvironmentRows& environment,
                                                   const plan::Plan& plan) {
    auto variables = analysis::variables_of(environment);
    std::erase_if(variables,
                  [](const auto& variable) { return plan::set_by_library(variable.first, variable.second); });
    auto of_plan = plan::enabling_variables(plan.vary);
    if (plan.mpi && plan::chooses_algorithms(plan)) {
        const auto needs = plan::choice_needs(*plan.mpi);
        of_plan.insert(of_plan.end(), needs.begin(), needs.end());
    }
    for (const auto& [name, value] : of_plan) {
        variables.erase(name);
    }
    return variables;
}

std::map<std::string, std::string> steering_variables(std::span<const char* const> environment) {
    std::map<std::string, std::string> variables;
    for (const std::string_view entry : environment) {
        const auto name = entry.substr(0, entry.find('='));
        const auto value = entry.substr(std::min(entry.size(), name.size() + 1));
        if (plan::steers_mpi(name) && !plan::set_by_launcher(name) && !plan::set_by_library(name, value)) {
            variables.emplace(name, value);
        }
    }
    return variables;
}

std::vector<std::string> words_to_steer(const std::map<std::string, std::string>& here,
                                        const std::map<std::string, std::string>& wanted) {
    std::vector<std::string> words;
    for (const auto& [name, value] : here) {
        if (!wanted.contains(name)) {
            words.insert(words.end(), {"-u", name});
        }
    }
    for (const auto& [name, value] : wanted) {
        if (const auto had = here.find(name); had == here.end() || had->second != value) {
            words.push_back(fmt::format("{}={}", name, value));
        }
    }
    if (!words.empty()) {
        words.insert(words.begin(), "env");
    }
    return words;
}

plan::Plan plan_in_turn(const store::RunRow& run) {
    plan::Plan plan;
    plan::read_stored_plan(plan, run.plan_toml, run.id);
    plan.label.clear();
    plan.runs.reset();
    plan.budget_s.reset();
    return plan;
}

ResolvedJob job_again(const store::Store& store, const store::RunRow& run, bool allow_root) {
    auto job = resolve(plan_in_turn(run), allow_root);
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
