#include "probe/environment.hpp"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string_view>
#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/build_info.hpp"
#include "machine/facts.hpp"
#include "plan/mpi_variables.hpp"
#include "plan/plan_toml.hpp"
#include "plan/varied_settings.hpp"
#include "probe/mpi/control_variables.hpp"
#include "probe/mpi/flavour.hpp"
#include "probe/mpi/thread_level.hpp"
#include "probe/ops/buffer.hpp"

namespace fathom::probe {
namespace {

/// Of the varied variables, those that set a parameter that the library does not have, separated by blanks.
std::string unknown_parameters(const std::vector<std::string>& varied) {
    if (varied.empty()) {
        return {};
    }
    std::vector<std::string> unknown;
    for (const auto& name : varied) {
        const auto parameter = plan::parameter_of(name, mpi::flavour);
        if (parameter && !mpi::ControlVariables::has(*parameter)) {
            unknown.push_back(name);
        }
    }
    return fmt::format("{}", fmt::join(unknown, " "));
}

/// Variables whose values other jobs of the run do not share.
std::vector<std::string> varied_variables(const plan::Plan& plan) {
    std::vector<std::string> variables;
    for (const auto& text : plan.vary) {
        variables.push_back(plan::varied_setting(text).variable);
    }
    return variables;
}

std::map<std::string, std::string> job_facts(const plan::Plan& plan, const std::string& progress) {
    const auto& build = build_info();
    std::map<std::string, std::string> facts{{"fathom_version", build.version},
                                             {"fathom_commit", build.commit},
                                             {"compiler", build.compiler},
                                             {"flags", build.flags},
                                             {"build_type", build.build_type}};
    if (!progress.empty()) {
        facts[journal::progress_thread_fact] = progress;
    }
    for (char** variable = environ; *variable != nullptr; ++variable) {
        const std::string_view entry(*variable);
        if (const auto equals = entry.find('='); plan::steers_mpi(entry)) {
            facts[fmt::format("{}{}", journal::variable_fact, entry.substr(0, equals))] =
                entry.substr(equals + 1);
        }
    }
    if (plan.thread_levels.size() < 2) {
        facts[journal::thread_level_fact] = mpi::constant_of(mpi::provided_thread_level());
    }
    const auto varied = varied_variables(plan);
    // Under a name of their own: what `env.` holds is the same for all jobs of a run.
    for (const auto& name : varied) {
        facts.erase(std::string(journal::variable_fact) + name);
        if (const char* const value = std::getenv(name.c_str()); value != nullptr) {
            facts["vary." + name] = value;
        }
    }
    if (const auto unknown = unknown_parameters(varied); !unknown.empty()) {
        facts[journal::unknown_parameters_fact] = unknown;
    }
    return facts;
}

journal::RankInfo this_rank(int rank, Nanoseconds empty) {
    // Simulated ranks have no processors of their own.
    const auto binding = mpi::simulated ? std::string() : machine::binding();
    const auto place = machine::place_of(binding);
    return {.rank = rank,
            .host = mpi::processor_name(),
            .pid = ::getpid(),
            .binding = binding,
            .empty_ns = empty.count,
            .socket = place.socket,
            .numa_node = place.numa_node};
}

/// How message memory lies.
std::string buffers() {
    constexpr Bytes sample{65'536};
    const Buffer buffer(sample);
    std::memset(buffer.data(), 1, static_cast<std::size_t>(sample.count));
    const auto nodes = machine::memory_nodes(buffer.data(), sample);
    return fmt::format(
        "separate send and receive buffers from malloc, in pages of {} bytes, first touched by the rank that "
        "uses "
        "them{}",
        ::sysconf(_SC_PAGESIZE), nodes.empty() ? "" : fmt::format(" (memory node {})", nodes));
}

Nanoseconds time_of_day() {
    using namespace std::chrono;
    return {duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count()};
}

/// Simulated hosts have no hardware of their own to describe.
machine::Facts this_host(const mpi::LocalClock& clock) {
    auto facts = mpi::simulated ? machine::Facts{{"simulated", "yes"}} : machine::collect_facts();
    if (!mpi::simulated) {
        facts["buffers"] = buffers();
    }
    for (const auto& [source, description] : clock.described) {
        facts["clock." + source] = description;
    }
    return facts;
}

}  // namespace

void record_environment(Group& world, const mpi::LocalClock& clock, Nanoseconds empty, const plan::Plan& plan,
                        const std::string& progress, journal::Writer* journal) {
    if (world.rank() != 0) {
        const auto info = this_rank(world.rank(), empty);
        world.send(0, journal::packed(info));
        if (world.receive(0) == "host") {
            world.send(0, journal::packed(journal::HostInfo{info.host, this_host(clock)}));
        }
        return;
    }
    journal->write(journal::JobInfo{.procs = world.size(),
                                    .simulated = mpi::simulated,
                                    .mpi_flavour = std::string(to_text(mpi::flavour)),
                                    .mpi_version = mpi::library_version(),
                                    .mpi_standard = mpi::standard_version(),
                                    .time_source = std::string(clock.clock->name()),
                                    .plan_toml = plan::write_plan(plan),
                                    .facts = job_facts(plan, progress),
                                    .clock_ns = clock.clock->now().count,
                                    .utc_ns = time_of_day().count});
    const auto own = this_rank(0, empty);
    journal->write(own);
    journal->write(journal::HostInfo{own.host, this_host(clock)});
    std::set<std::string> known{own.host};
    for (int rank = 1; rank < world.size(); ++rank) {
        const auto info = std::get<journal::RankInfo>(journal::unpacked(world.receive(rank)).value());
        journal->write(info);
        const bool is_new = known.insert(info.host).second;
        world.send(rank, is_new ? "host" : "known");
        if (is_new) {
            journal->write(journal::unpacked(world.receive(rank)).value());
        }
    }
}

}  // namespace fathom::probe
