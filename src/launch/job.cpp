#include "launch/job.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <iterator>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/file.hpp"
#include "launch/child.hpp"
#include "launch/library_offers.hpp"
#include "launch/trees.hpp"
#include "plan/implementations.hpp"
#include "plan/library_algorithms.hpp"
#include "plan/varied_settings.hpp"
#include "stats/summary.hpp"

namespace fathom::launch {
namespace {

namespace fs = std::filesystem;

constexpr int default_procs = 2;

/// Unsupported operations are refused if they were named: better now than in a row of the result. `all` is
/// everything that is supported.
void resolve_operations(plan::Plan& plan, const Installation& here) {
    const auto unavailable = here.unavailable(plan.mpi.value());
    std::vector<std::string> names;
    for (const auto& name : plan.operations) {
        if (name == plan::all_operations) {
            const auto all = plan::single_operation_names();
            std::copy_if(all.begin(), all.end(), std::back_inserter(names),
                         [&](const auto& one) { return !unavailable.contains(one); });
        } else if (const auto found = unavailable.find(name); found != unavailable.end()) {
            throw BadInput(fmt::format("{} cannot measure {}: {}.", to_text(plan.mpi), name, found->second));
        } else {
            names.push_back(name);
        }
    }
    plan.operations = std::move(names);
}

/// The batch system whose allocation this is, by the variable that it sets; empty outside of one.
std::string batch_system() {
    constexpr std::array<std::pair<const char*, const char*>, 6> known{{{"SLURM_JOB_ID", "Slurm"},
                                                                        {"PBS_JOBID", "PBS"},
                                                                        {"LSB_JOBID", "LSF"},
                                                                        {"FLUX_JOB_ID", "Flux"},
                                                                        {"COBALT_JOBID", "Cobalt"},
                                                                        {"PJM_JOBID", "PJM"}}};
    const auto* const found = std::find_if(
        known.begin(), known.end(), [](const auto& system) { return std::getenv(system.first) != nullptr; });
    return found == known.end() ? std::string() : found->second;
}

/// In an allocation time is paid for and launchers are slow: three launches instead of five.
void settle_launches(ResolvedJob& resolved, plan::Plan& plan) {
    constexpr std::int64_t few = 3;
    const auto batch = batch_system();
    if (!resolved.may_launch_less || batch.empty() || plan.runs.value_or(1) <= few) {
        return;
    }
    resolved.remarks.push_back(
        {.severity = store::Severity::note,
         .code = "few-launches",
         .text =
             fmt::format("inside an allocation of {} the job is launched {} times instead of {}; intervals "
                         "are wider for it",
                         batch, few, plan.runs.value_or(1)),
         .remedy = "give --runs to choose the number of launches"});
    plan.runs = few;
}

/// How many processes each host gets.
void settle_places(const plan::Plan& plan, ResolvedJob& resolved) {
    if (!plan.ranks_per_host) {
        return;
    }
    if (resolved.platform) {
        if (*plan.ranks_per_host > resolved.platform->ranks_per_host) {
            throw BadInput(fmt::format("hosts of platform {} have {} cores, but --ranks-per-host is {}.",
                                       plan.platform, resolved.platform->ranks_per_host,
                                       *plan.ranks_per_host));
        }
        resolved.platform->ranks_per_host = static_cast<int>(*plan.ranks_per_host);
        return;
    }
    const bool in_template = plan.launcher.find(ranks_per_host_mark) != std::string::npos;
    if (!plan.launcher.empty() ? !in_template : plan.mpi == plan::Flavour::mpi) {
        throw BadInput(fmt::format(
            "fathom does not know how this launcher places processes: put {} into --launcher where it takes "
            "their number on a host.",
            ranks_per_host_mark));
    }
}

/// Only own launchers of flavours that bind can be told.
void check_binding(const plan::Plan& plan) {
    if (plan.bind == plan::Bind::launcher) {
        return;
    }
    if (!plan.launcher.empty()) {
        throw BadInput(
            "--bind does not apply with --launcher; put the launcher's own binding option into the "
            "template.");
    }
    if (plan.bind == plan::Bind::none && plan.overlap.progress != plan::Progress::library) {
        throw BadInput(
            "--progress thread and both bind each rank to two cores, which --bind none excludes; leave out "
            "one.");
    }
    if (plan.mpi != plan::Flavour::openmpi && plan.mpi != plan::Flavour::mpich) {
        throw BadInput(fmt::format("fathom does not bind the ranks of flavour '{}'; leave out --bind.",
                                   to_text(plan.mpi.value())));
    }
}

/// What is the same for every launch.
Request request_for(const ResolvedJob& resolved) {
    Request request;
    request.flavour = resolved.flavour();
    request.procs = resolved.procs;
    request.room = resolved.room;
    request.launcher = found_launcher(resolved.flavour());
    request.custom = resolved.plan.launcher;
    request.ranks_per_host = resolved.plan.ranks_per_host;
    request.bind = resolved.plan.bind;
    request.allow_root = resolved.allow_root;
    request.platform = resolved.platform;
    request.probe = resolved.here.probe(resolved.flavour());
    return request;
}

/// What the processes of a job say of their hosts; nothing if they cannot be started, which the job itself
/// will report.
std::optional<Room> room_by_launcher(const ResolvedJob& resolved) {
    try {
        return room_from(output_of(command_to_ask_for_cores(request_for(resolved))), resolved.procs);
    } catch (const Error&) {
        return std::nullopt;
    }
}

/// What is set besides the varied settings, so that they take effect, is not the user's doing.
void remark_on_settings(ResolvedJob& resolved, const plan::Plan& plan) {
    const auto remark = [&](const std::vector<std::pair<std::string, std::string>>& variables,
                            const char* code, std::string_view without) {
        for (const auto& [variable, value] : variables) {
            resolved.remarks.push_back({.severity = store::Severity::note,
                                        .code = code,
                                        .text = fmt::format("{}={} was set in every launch: without it, {}.",
                                                            variable, value, without),
                                        .remedy = {}});
        }
    };
    remark(plan::enabling_variables(plan.vary), "vary-needs", "the library ignores the varied settings");
    if (plan::chooses_algorithms(plan)) {
        remark(plan::choice_needs(*plan.mpi), "via-needs",
               "the library decides itself whatever algorithm --via names");
    }
}

/// One combination of varied settings, with what the plan needs in all.
plan::Combination combination_of(const plan::Plan& plan, const std::string& setting) {
    for (auto& combination : plan::combinations(plan.vary, plan.thread_levels)) {
        if (combination.text == setting) {
            auto& environment = combination.environment;
            const auto needs = plan::chooses_algorithms(plan)
                                   ? plan::choice_needs(plan.mpi.value())
                                   : std::vector<std::pair<std::string, std::string>>{};
            environment.insert(environment.end(), needs.begin(), needs.end());
            return std::move(combination);
        }
    }
    throw BadInput(fmt::format("the plan does not have the setting {}.", setting));
}

/// A search decides where to go by intervals of medians, which few repetitions do not have. Simulated times
/// are exact.
void check_search(const plan::Plan& plan) {
    const auto most = plan.reps.value_or(plan.max_reps);
    constexpr auto least = static_cast<std::int64_t>(stats::least_to_bound_median);
    if (plan::searches(plan) && plan.mpi != plan::Flavour::smpi && most < least) {
        throw BadInput(
            fmt::format("'auto' ranges and --locate-switches need confidence intervals, so at least {} "
                        "repetitions of each point; {} is {}.",
                        least, plan.reps ? "--reps" : "--max-reps", most));
    }
}

}  // namespace

/// Only the own launchers of flavours that bind need to know; in simulation there are no cores.
Room room_of(const ResolvedJob& resolved) {
    const bool binds = resolved.plan.launcher.empty() && (resolved.flavour() == plan::Flavour::openmpi ||
                                                          resolved.flavour() == plan::Flavour::mpich);
    const auto asked = binds && !sign_of_other_hosts().empty() ? room_by_launcher(resolved) : std::nullopt;
    return asked ? *asked : room_here(resolved.procs);
}

bool refused_as_root(const plan::Plan& plan) {
    return plan.mpi == plan::Flavour::openmpi && plan.launcher.empty() && ::geteuid() == 0 &&
           (std::getenv("OMPI_ALLOW_RUN_AS_ROOT") == nullptr ||
            std::getenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM") == nullptr);
}

ResolvedJob resolve(plan::Plan plan, bool allow_root) {
    plan::check_whole(plan);
    ResolvedJob resolved;
    resolved.allow_root = allow_root;
    plan.mpi = choose_flavour(resolved.here, plan.mpi, !plan.platform.empty());
    if (!plan.platform.empty()) {
        resolved.platform = find_platform(resolved.here.platforms, plan.platform);
    }
    check_search(plan);
    settle_places(plan, resolved);
    check_binding(plan);
    resolve_operations(plan, resolved.here);
    plan::check_variables(plan.vary, *plan.mpi);
    if (plan.launcher.empty()) {
        check_library_algorithms(plan, resolved.here);
    }
    remark_on_settings(resolved, plan);
    const bool simulated = plan.mpi == plan::Flavour::smpi;
    resolved.may_launch_less = !plan.runs.has_value();
    plan.revisit_percent = plan::revisit_percent_of(plan, simulated);
    plan.runs = plan::launches_of(plan, simulated);
    settle_launches(resolved, plan);
    const int requested = plan::most_procs(plan);
    resolved.procs = requested > 0       ? requested
                     : resolved.platform ? resolved.platform->places()
                                         : default_procs;
    if (resolved.platform && resolved.procs > resolved.platform->places()) {
        throw BadInput(fmt::format("platform {} has room for {} processes, but -n is {}.", plan.platform,
                                   resolved.platform->places(), resolved.procs));
    }
    if (!simulated && plan.operation.shared_edge_ns) {
        throw BadInput(
            "shared memory takes the time it takes; leave out --shared-edge, which is for simulations.");
    }
    settle_trees(plan, resolved.procs, simulated);
    settle_thread_level(plan, simulated);
    if (simulated && plan.platform.empty() && plan.launcher.empty()) {
        throw BadInput("--mpi smpi needs --platform NAME ('fathom list platforms' shows all).");
    }
    if (simulated && plan.clock != clock::Source::automatic && plan.clock != clock::Source::wtime) {
        throw BadInput(
            fmt::format("in simulation the clock is wtime; leave out --clock {}.", to_text(plan.clock)));
    }
    if (simulated && plan.budget_s) {
        throw BadInput("simulated time is not the time that a run takes; leave out --budget.");
    }
    if (simulated && plan.overlap.progress != plan::Progress::library) {
        throw BadInput(fmt::format(
            "simulated messages need no processor, so there is no progress thread; leave out --progress {}.",
            to_text(plan.overlap.progress)));
    }
    if (!allow_root && refused_as_root(plan)) {
        throw BadInput("Open MPI refuses to run as root; add --allow-run-as-root if that is what you want.");
    }
    if (requested == 0) {
        plan.procs = {fmt::format("{}", resolved.procs)};
    }
    resolved.plan = std::move(plan);
    resolved.room = room_of(resolved);
    return resolved;
}

fs::path files_of_run(const fs::path& db, std::int64_t run) {
    return fs::absolute(db).string() + fmt::format(".run{}", run);
}

fs::path journal_of_run(const fs::path& db, std::int64_t run) {
    return files_of_run(db, run).string() + ".journal";
}

JobFiles::JobFiles(const fs::path& base, bool simulated) {
    const auto start = fs::absolute(base).string();
    journal = start + ".journal";
    job = start + ".job.toml";
    if (simulated) {
        folder_.emplace();  // elsewhere, since smpirun bears no blanks; a simulation is local anyway
        job = folder_->path() / "job.toml";
        hostfile = folder_->path() / "hosts";
    }
    fs::remove(journal);
    created_ = FileDescriptor(::open(journal.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (!created_.is_open()) {
        fail_to_write(journal.string(), errno);
    }
}

bool JobFiles::journal_is_empty() const {
    struct stat status {};
    return ::fstat(created_.get(), &status) == 0 && status.st_size == 0;
}

void JobFiles::remove_journal() const {
    struct stat ours {};
    struct stat named {};
    const bool same = ::fstat(created_.get(), &ours) == 0 && ::stat(journal.c_str(), &named) == 0 &&
                      ours.st_dev == named.st_dev && ours.st_ino == named.st_ino;
    if (same) {
        std::error_code ignored;
        fs::remove(journal, ignored);
    }
}

JobFiles::~JobFiles() {
    std::error_code ignored;
    fs::remove(job, ignored);
    if (journal_is_empty()) {
        remove_journal();  // the job was never started
    }
}

Command prepare(const ResolvedJob& resolved, const JobFiles& files, plan::Job job) {
    job.plan = resolved.plan;
    job.journal = files.journal.string();
    write_file(files.job, plan::write_job(job));
    if (resolved.platform) {
        write_file(files.hostfile, resolved.platform->hostfile());
    }
    auto request = request_for(resolved);
    request.progress_thread = job.progress == plan::progress_thread;
    request.against_progress_thread = resolved.plan.overlap.progress == plan::Progress::both;
    const auto varied = combination_of(resolved.plan, job.setting);
    request.variables = varied.environment;
    request.thread_level = varied.thread_level;
    request.hostfile = files.hostfile;
    request.job = files.job;
    auto command = command_for(request);
    command.litter = files.litter();
    command.environment.insert(command.environment.begin(), resolved.variables.begin(),
                               resolved.variables.end());
    command.removed = resolved.removed_variables;
    command.removed.insert(command.removed.end(), varied.removed.begin(), varied.removed.end());
    return command;
}

}  // namespace fathom::launch
