#include "launch/job.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <unistd.h>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/file.hpp"
#include "machine/facts.hpp"

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

}  // namespace

ResolvedJob resolve(plan::Plan plan, bool allow_root) {
    plan::check_whole(plan);
    ResolvedJob resolved;
    resolved.allow_root = allow_root;
    plan.mpi = choose_flavour(resolved.here, plan.mpi, !plan.platform.empty());
    if (!plan.platform.empty()) {
        resolved.platform = find_platform(resolved.here.platforms, plan.platform);
    }
    resolve_operations(plan, resolved.here);
    const bool simulated = plan.mpi == plan::Flavour::smpi;
    plan.runs = plan::launches_of(plan, simulated);
    const int requested = plan::most_procs(plan);
    resolved.procs = requested > 0       ? requested
                     : resolved.platform ? resolved.platform->places()
                                         : default_procs;
    if (resolved.platform && resolved.procs > resolved.platform->places()) {
        throw BadInput(fmt::format("platform {} has room for {} processes, but -n is {}.", plan.platform,
                                   resolved.platform->places(), resolved.procs));
    }
    if (simulated && plan.platform.empty() && plan.launcher.empty()) {
        throw BadInput("--mpi smpi needs --platform NAME ('fathom list platforms' shows all).");
    }
    if (simulated && plan.clock != clock::Source::automatic && plan.clock != clock::Source::wtime) {
        throw BadInput(
            fmt::format("in simulation the clock is wtime; leave out --clock {}.", to_text(plan.clock)));
    }
    if (simulated && plan.overlap.progress != plan::Progress::library) {
        throw BadInput(fmt::format(
            "simulated messages need no processor, so there is no progress thread; leave out --progress {}.",
            to_text(plan.overlap.progress)));
    }
    const bool root_refused = plan.mpi == plan::Flavour::openmpi && plan.launcher.empty() &&
                              ::geteuid() == 0 && !allow_root &&
                              (std::getenv("OMPI_ALLOW_RUN_AS_ROOT") == nullptr ||
                               std::getenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM") == nullptr);
    if (root_refused) {
        throw BadInput("Open MPI refuses to run as root; add --allow-run-as-root if that is what you want.");
    }
    if (requested == 0) {
        plan.procs = {fmt::format("{}", resolved.procs)};
    }
    resolved.plan = std::move(plan);
    return resolved;
}

JobFiles::JobFiles(const fs::path& base, bool simulated) {
    const auto start = fs::absolute(base).string();
    journal = start + ".journal";
    job = start + ".job.toml";
    if (simulated) {
        // smpirun splits its arguments at blanks, so these must not have any; a simulation is local anyway.
        std::string folder = "/tmp/fathom-XXXXXX";
        if (::mkdtemp(folder.data()) == nullptr) {
            throw NotMeasured(fmt::format("cannot create a folder in /tmp: {}", std::strerror(errno)));
        }
        folder_ = folder;
        job = folder_ / "job.toml";
        hostfile = folder_ / "hosts";
    }
}

JobFiles::~JobFiles() {
    std::error_code ignored;
    for (const auto& path : litter()) {
        fs::remove_all(path, ignored);
    }
    if (fs::file_size(journal, ignored) == 0) {
        fs::remove(journal, ignored);  // the job was never started
    }
}

Command prepare(const ResolvedJob& resolved, const JobFiles& files, plan::Job job) {
    // The journal is there before the job, so that whoever follows it holds it open from its first byte on.
    fs::remove(files.journal);
    write_file(files.journal, "");
    job.plan = resolved.plan;
    job.journal = files.journal.string();
    write_file(files.job, plan::write_job(job));
    if (resolved.platform) {
        write_file(files.hostfile, resolved.platform->hostfile());
    }
    auto command = command_for({.flavour = resolved.flavour(),
                                .procs = resolved.procs,
                                .cores = machine::usable_cores(),
                                .launcher = found_launcher(resolved.flavour()),
                                .custom = resolved.plan.launcher,
                                .allow_root = resolved.allow_root,
                                .progress_thread = job.progress == plan::progress_thread,
                                .platform = resolved.platform,
                                .hostfile = files.hostfile,
                                .probe = resolved.here.probe(resolved.flavour()),
                                .job = files.job});
    command.litter = files.litter();
    command.environment.insert(command.environment.begin(), resolved.variables.begin(),
                               resolved.variables.end());
    command.removed = resolved.removed_variables;
    return command;
}

}  // namespace fathom::launch
