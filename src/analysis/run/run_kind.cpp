#include "analysis/run/run_kind.hpp"

#include <algorithm>
#include <set>

#include "plan/mpi_variables.hpp"
#include "plan/plan_toml.hpp"
#include "plan/progress_thread.hpp"

namespace fathom::analysis {

RunKind kind_of(const store::Store& store, const store::RunRow& run) {
    plan::Plan plan;
    plan::read_stored_plan(plan, run.plan_toml, run.id);
    plan.label.clear();
    plan.tags.clear();
    plan.seed = plan::Plan{}.seed;
    plan.between_runs_percent.reset();
    plan.settled_thread_level.reset();  // the level counts, whoever chose it
    plan.runs.reset();                  // a measurement may settle for fewer launches than were planned
    RunKind kind{.flavour = run.mpi_flavour,
                 .library_version = run.mpi_version,
                 .fathom_version = run.fathom_version,
                 .time_source = run.time_source,
                 .procs = run.procs,
                 .plan = plan::write_plan(plan),
                 .places = {},
                 .hosts = {},
                 .variables = {}};
    for (const auto& rank : store.ranks(run.id)) {
        kind.places.emplace_back(rank.host, rank.binding);
    }
    const auto environment = store.environment(run.id);
    for (const auto& [host, facts] : environment) {
        for (const auto* name : {"cpu_model", "kernel", "governor"}) {
            if (const auto fact = facts.find(name); !host.empty() && fact != facts.end()) {
                kind.hosts[host][name] = fact->second;
            }
        }
    }
    kind.variables = variables_of(environment);
    return kind;
}

std::map<std::string, std::string> variables_of(const store::EnvironmentRows& environment) {
    const auto job = environment.find("");
    if (job == environment.end()) {
        return {};
    }
    // Which points have a progress thread is part of their keys.
    std::set<std::string> own;
    if (job->second.contains(journal::progress_thread_fact)) {
        for (const auto& [name, value] : plan::progress_variables(plan::Flavour::mpi)) {
            own.insert(name);
        }
    }
    std::map<std::string, std::string> found;
    for (const auto& [fact, value] : job->second) {
        if (!fact.starts_with(journal::variable_fact)) {
            continue;
        }
        const auto name = fact.substr(journal::variable_fact.size());
        if (!plan::set_by_launcher(name) && !own.contains(name)) {
            found[name] = value;
        }
    }
    return found;
}

std::vector<std::int64_t> launch_jobs_of(const store::Store& store, std::int64_t run) {
    std::map<int, std::int64_t> first;
    for (const auto& point : store.points(run)) {
        if (point.job) {
            const auto known = first.try_emplace(point.launch, *point.job).first;
            known->second = std::min(known->second, *point.job);
        }
    }
    std::vector<std::int64_t> jobs;
    for (const auto& [launch, job] : first) {
        jobs.push_back(job);
    }
    std::sort(jobs.begin(), jobs.end());
    return jobs;
}

namespace {

/// Whether launches of two runs, by their jobs, alternate as often as the run with fewer has some.
bool alternate(const std::vector<std::int64_t>& first, const std::vector<std::int64_t>& second) {
    std::map<std::int64_t, bool> order;
    for (const auto job : first) {
        order[job] = true;
    }
    for (const auto job : second) {
        order[job] = false;
    }
    std::size_t changes = 0;
    for (auto next = order.begin(); next != order.end(); ++next) {
        changes += next != order.begin() && next->second != std::prev(next)->second ? 1U : 0U;
    }
    const auto fewer = std::min(first.size(), second.size());
    return fewer > 1 && changes >= fewer;
}

}  // namespace

bool took_turns(const Turns& first, const Turns& second) {
    const bool recorded = first.in_turn_with || second.in_turn_with;
    const bool together = first.in_turn_with == second.run || second.in_turn_with == first.run;
    return (together || !recorded) && alternate(first.launch_jobs, second.launch_jobs);
}

}  // namespace fathom::analysis
