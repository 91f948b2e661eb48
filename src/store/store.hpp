#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "journal/events.hpp"
#include "journal/evidence.hpp"
#include "journal/records.hpp"
#include "journal/samples.hpp"
#include "plan/plan.hpp"
#include "store/lock_file.hpp"
#include "store/rows.hpp"
#include "store/sqlite.hpp"

namespace fathom::store {

/// What comes with a measured point besides its samples.
struct PointExtras {
    std::span<const journal::Disturbance> disturbances = {};
    std::span<const journal::RankTally> tallies = {};
    std::span<const journal::StudyStep> steps = {};
    std::span<const journal::StudyBlock> blocks = {};
    std::span<const journal::EvidenceBlock> evidence = {};
    /// Yields blocks of its trace until there are no more, as samples are; may be empty.
    std::function<std::optional<journal::EventBlock>()> next_events = {};
};

class Row;

/// Which run `last` means: the newest with results (the newest of all if none has any), or the newest.
enum class Last { with_results, of_all };

/// Another process has taken over a run that this one was measuring: nothing was written.
class LeaseLost : public NotMeasured {
  public:
    using NotMeasured::NotMeasured;
};

/// The journal does not hold all samples of a point that it announces: nothing of the point was written.
class PointNotWhole : public NotMeasured {
  public:
    using NotMeasured::NotMeasured;
};

/// How often an owner shows that it lives. Each time is a transaction, which preempts a rank where ranks fill
/// all processors; in a run that stores points more often, it is part of theirs.
inline constexpr std::chrono::seconds renew_lease_every{20};

/// The result file. Writers commit one transaction per measured point.
class Store {
  public:
    /// Opens for writing, creating the file if need be.
    static Store open_or_create(const std::filesystem::path& path);
    /// Opens what is there, to read it: a file of an older fathom stays as it is, and is read from a copy in
    /// temporary storage. Throws BadInput if there is nothing.
    static Store open(const std::filesystem::path& path);
    /// The same for writing.
    static Store open_to_change(const std::filesystem::path& path);

    Store(Store&&) = default;
    Store& operator=(Store&&) = delete;
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;
    /// Releases the leases that are left.
    ~Store();

    [[nodiscard]] const std::filesystem::path& path() const { return database_->path(); }
    /// True where the file system has no working locks, so that the file is held by FILE.lock instead.
    [[nodiscard]] bool without_locks() const { return lock_ != nullptr; }

    /// What reading has found damaged so far, in the order it was found: file, table, row and column. Rows
    /// that describe a run (its ranks, warnings, tags and so on) are left out; a point says so itself
    /// (PointRow::damage), and the functions that read what was measured of it throw BadInput. Who shows a
    /// file says all of it.
    [[nodiscard]] const std::vector<std::string>& damage() const { return damage_; }
    /// Adds what was found wrong with something that these functions have given.
    void note_damage(const std::string& what) const;

    /// What is written while it lives takes effect as a whole, on its commit(). Throws LeaseLost if a lease
    /// was lost that this store has taken.
    [[nodiscard]] Transaction transaction() {
        return Transaction(*database_, [this] { check_leases(); });
    }

    // Who measures a run
    [[nodiscard]] std::optional<LeaseRow> lease(std::int64_t run) const;
    /// Takes the lease of a run if nobody has it, or if who has it is still `instead_of` and has not shown
    /// that it lives since. From then on every write checks that nobody else has taken it over. False if it
    /// is not to be had.
    bool take_lease(std::int64_t run, const LeaseRow& lease,
                    const std::optional<LeaseRow>& instead_of = std::nullopt);
    /// Shows that the owner of all leases that were taken lives, if it has not for this long.
    void renew_leases(std::chrono::seconds every = renew_lease_every);
    /// Does nothing if it was lost.
    void release_lease(std::int64_t run);

    // Writing
    /// Returns the number of the new run, which no run had before.
    std::int64_t create_run(const RunRow& run, const std::vector<plan::PointSpec>& points);
    /// With all that was measured for it.
    void delete_run(std::int64_t run);
    void set_label(std::int64_t run, const std::string& label);
    std::int64_t create_job(std::int64_t run, const std::string& launcher, const std::string& journal);
    /// `reason` says why it is not complete.
    void set_run_status(std::int64_t run, RunStatus status, const std::string& reason = "");
    /// Replaces the plan of a run, where measuring it has settled what was left open.
    void set_run_plan(std::int64_t run, const std::string& plan_toml);
    void set_mark(std::int64_t run, const RunMark& mark);
    /// Without a reason, it finished normally.
    void end_job(std::int64_t job, const std::string& reason);
    void put(std::int64_t job, const journal::JobInfo& info);
    void put(std::int64_t job, const journal::RankInfo& rank);
    void put(std::int64_t job, const journal::HostInfo& host);
    void put(std::int64_t job, const journal::JobEnd& end);
    void put(std::int64_t job, std::span<const journal::ClockSync> syncs);
    void put(std::int64_t job, std::span<const journal::ClockEvent> events);
    void put_warning(std::int64_t run, const WarningRow& warning);
    /// Adds points of one launch, still to be measured; existing ones are left unchanged.
    void add_points(std::int64_t run, int launch, std::span<const plan::PointSpec> points);
    /// A measured point with its samples, all or nothing. `next` yields blocks until there are no more.
    /// Throws PointNotWhole if they and those of a study and of a trace are not exactly as many samples as
    /// the end announces.
    void put_point(std::int64_t run, std::int64_t job, const journal::PointEnd& end,
                   const std::function<std::optional<journal::SampleBlock>()>& next,
                   const PointExtras& extras = {});
    /// Marks a point without samples: died (and how often), interrupted, failed.
    void mark_point(std::int64_t run, int position, PointStatus status, const std::string& reason, bool died);

    // Reading
    [[nodiscard]] std::vector<RunRow> runs() const;
    /// A run by number, `last`, or label (the newest with it). Throws BadInput that says which there are.
    [[nodiscard]] RunRow find_run(const std::string& name, Last last = Last::with_results) const;
    [[nodiscard]] std::vector<PointRow> points(std::int64_t run) const;
    /// One of them. Throws BadInput if there is none at this position.
    [[nodiscard]] PointRow point(std::int64_t run, int position) const;
    [[nodiscard]] std::vector<RankRow> ranks(std::int64_t run) const;
    [[nodiscard]] EnvironmentRows environment(std::int64_t run) const;
    /// What the newest job that requested a progress thread reported; empty if none did.
    [[nodiscard]] std::string progress_thread(std::int64_t run) const;
    [[nodiscard]] std::vector<WarningRow> warnings(std::int64_t run) const;
    /// As stored; whether it is true is another matter.
    [[nodiscard]] std::optional<RunMark> mark(std::int64_t run) const;
    [[nodiscard]] std::optional<JobRow> last_job(std::int64_t run) const;
    /// The newest job of a run that has clock events.
    [[nodiscard]] std::optional<std::int64_t> job_that_checked_its_clock(std::int64_t run) const;
    /// Whether a job ran in simulated time.
    [[nodiscard]] bool simulated(std::int64_t job) const;
    /// In the order of synchronisation and rank.
    [[nodiscard]] std::vector<journal::ClockSync> clock_syncs(std::int64_t job) const;
    /// In the order of time, event and rank.
    [[nodiscard]] std::vector<journal::ClockEvent> clock_events(std::int64_t job) const;
    /// What empty repetitions took in a job.
    [[nodiscard]] EmptyTimes empty_times(std::int64_t job) const;
    /// Where each rank of a job was.
    [[nodiscard]] std::map<int, std::string> hosts(std::int64_t job) const;
    /// When a job ran, on its own clock and in time of day; nothing for old ones.
    [[nodiscard]] std::optional<Moment> moment(std::int64_t job) const;
    /// In the order of rank and time.
    [[nodiscard]] std::vector<journal::Disturbance> disturbances(std::int64_t point) const;
    /// What an operation counted besides its times, by rank and name.
    [[nodiscard]] std::map<int, std::map<std::string, double>> tallies(std::int64_t point) const;
    /// The steps of a study of overlap, by number; none for other points.
    [[nodiscard]] std::vector<journal::StudyStep> study_steps(std::int64_t point) const;
    /// Visits its repetitions rank by rank, in the order they were made. Their steps are known.
    void visit_study(
        std::int64_t point,
        const std::function<void(int rank, const std::vector<journal::StudySample>& samples)>& visit) const;
    /// Visits what the operating system counted, in the order of rank and time, each block with what it
    /// holds.
    void visit_evidence(
        std::int64_t point,
        const std::function<void(const journal::EvidenceBlock& block,
                                 const std::vector<journal::CountedStretch>& stretches)>& visit) const;
    /// How much a point recorded inside its calls; nothing if it was not traced.
    [[nodiscard]] std::optional<TraceRow> trace(std::int64_t point) const;
    /// Visits what it recorded in the order of rank and delivery, a block at a time, by the rank's own clock.
    void visit_events(
        std::int64_t point,
        const std::function<void(int rank, const std::vector<journal::CallEvent>& events)>& visit) const;
    /// Visits the samples of a point in the order of rank and repetition, a block at a time; the repetitions
    /// of a rank are consecutive from 0.
    void visit_samples(std::int64_t point,
                       const std::function<void(int rank, std::int64_t first_rep,
                                                const std::vector<journal::Sample>& samples)>& visit) const;

  private:
    Store(std::unique_ptr<LockFile> lock, std::unique_ptr<Database> database, Database::Access access);
    void check_leases();
    void renew_leases_if_older_than(std::chrono::seconds age);
    void insert_facts(std::int64_t job, const std::string& host,
                      const std::map<std::string, std::string>& facts);
    [[nodiscard]] std::map<std::string, std::string> tags(std::int64_t run) const;
    /// Whether a row can be used; notes what is wrong otherwise.
    [[nodiscard]] bool sound(const Row& row) const;
    /// How many ranks a point may name: those of its run.
    [[nodiscard]] int ranks_of(std::int64_t point) const;
    void insert_evidence(std::int64_t point, std::span<const journal::EvidenceBlock> blocks);
    /// Returns the number of events.
    std::int64_t insert_events(std::int64_t point,
                               const std::function<std::optional<journal::EventBlock>()>& next);
    void insert_points(std::int64_t run, int launch, std::span<const plan::PointSpec> points,
                       std::string_view on_conflict);

    std::unique_ptr<LockFile> lock_;  // outlives the database
    std::unique_ptr<Database> database_;
    std::map<std::int64_t, std::string> held_;  // owners by run
    std::chrono::steady_clock::time_point renewed_;
    mutable std::vector<std::string> damage_;
};

}  // namespace fathom::store
