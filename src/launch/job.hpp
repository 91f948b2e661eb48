#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "launch/command.hpp"
#include "launch/flavours.hpp"
#include "launch/scratch_folder.hpp"
#include "plan/plan_toml.hpp"
#include "store/rows.hpp"

namespace fathom::launch {

/// A plan made whole: flavour, platform and process count settled.
struct ResolvedJob {
    plan::Plan plan;
    Installation here = Installation::of_this_program();
    std::optional<Platform> platform;
    int procs = 0;
    Room room;                                 ///< of the hosts that run it, for fathom's own launch commands
    bool allow_root = false;                   ///< let Open MPI run as root
    std::optional<double> effort;              ///< of each launch, if not by the number of launches
    std::optional<double> launch_allowance_s;  ///< time limit of a launch where the run has no budget
    bool may_launch_less = false;              ///< the number of launches is not the user's choice
    std::vector<store::WarningRow> remarks;    ///< on the run as a whole
    /// Variables that its jobs get besides those of this environment, or without which they start.
    std::vector<std::pair<std::string, std::string>> variables = {};
    std::vector<std::string> removed_variables = {};

    [[nodiscard]] plan::Flavour flavour() const { return plan.mpi.value(); }
};

/// Throws BadInput if the plan cannot be started here. Where jobs may run on other hosts than this one, their
/// launcher is asked for the cores of these.
ResolvedJob resolve(plan::Plan plan, bool allow_root);

/// Whether Open MPI would refuse to start it, since it would run as root.
bool refused_as_root(const plan::Plan& plan);

/// The cores of a job with its number of processes, as resolve() finds them out.
Room room_of(const ResolvedJob& resolved);

/// The beginning of the names of the files of a run's jobs, which lie beside the result file.
std::filesystem::path files_of_run(const std::filesystem::path& db, std::int64_t run);
/// The journal of its jobs, one after the other. Where the result file names another, that is neither read
/// nor removed.
std::filesystem::path journal_of_run(const std::filesystem::path& db, std::int64_t run);

/// Files that live as long as a job: removed with it, whatever happens. The journal lies beside them and is
/// removed by whoever has read it, or with them if nothing was written to it. One that has taken its name
/// meanwhile belongs to another job and is left alone.
class JobFiles {
  public:
    /// `base` is the beginning of their names, in a folder that the job's first rank sees too. The journal is
    /// there before the job, so that whoever follows it holds it open from its first byte on; an older one of
    /// this name must have been read.
    JobFiles(const std::filesystem::path& base, bool simulated);
    JobFiles(const JobFiles&) = delete;
    JobFiles& operator=(const JobFiles&) = delete;
    ~JobFiles();

    /// What is of no use once the job has ended, however it ended.
    [[nodiscard]] std::vector<std::filesystem::path> litter() const {
        return {folder_ ? folder_->path() : job};
    }
    [[nodiscard]] bool journal_is_empty() const;
    void remove_journal() const;

    std::filesystem::path journal;
    std::filesystem::path job;
    std::filesystem::path hostfile;

  private:
    std::optional<ScratchFolder> folder_;
    FileDescriptor created_;  // the journal, by whatever name
};

/// Writes the job's files and gives the command that starts it.
Command prepare(const ResolvedJob& resolved, const JobFiles& files, plan::Job job);

}  // namespace fathom::launch
