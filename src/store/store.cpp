#include "store/store.hpp"

#include <chrono>
#include <ctime>
#include <unistd.h>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "machine/facts.hpp"
#include "store/schema.hpp"

namespace fathom::store {
namespace {

/// What the file records for a job that finished normally; else the reason.
const std::string regular_end = "done";

std::string now_utc() {
    const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(now)));
}

/// Columns of a run with those of its newest job.
constexpr const char* run_query =
    "SELECT run.id, label, created_utc, status, reason, plan_toml, procs, mpi_flavour, coalesce(mpi_version, "
    "''), "
    "coalesce(time_source, ''), coalesce(simulated, 0), command_line, fathom_version, fathom_commit "
    "FROM run LEFT JOIN job ON job.id = (SELECT max(id) FROM job AS newest WHERE newest.run = run.id "
    "AND newest.mpi_version <> '') ";

RunRow run_from(const Statement& row) {
    int at = 0;
    RunRow run;
    run.id = row.integer(at++);
    run.label = row.text(at++);
    run.created_utc = row.text(at++);
    run.status = row.named<RunStatus>(at++);
    run.reason = row.text(at++);
    run.plan_toml = row.text(at++);
    run.procs = static_cast<int>(row.integer(at++));
    run.mpi_flavour = row.text(at++);
    run.mpi_version = row.text(at++);
    run.time_source = row.text(at++);
    run.simulated = row.integer(at++) != 0;
    run.command_line = row.text(at++);
    run.fathom_version = row.text(at++);
    run.fathom_commit = row.text(at++);
    return run;
}

void refuse_missing(const std::filesystem::path& path) {
    if (!std::filesystem::exists(path)) {
        throw BadInput(fmt::format("no results in {} yet: 'fathom run' creates it, --db FILE names another.",
                                   path.string()));
    }
}

/// Whether a job has reported a point of the run: one whose launch failed has none.
constexpr const char* has_results =
    "EXISTS (SELECT 1 FROM point WHERE point.run = run.id AND point.job IS NOT NULL)";

}  // namespace

Store::Store(std::unique_ptr<LockFile> lock, std::unique_ptr<Database> database)
    : lock_(std::move(lock)), database_(std::move(database)) {
    bring_to_current_schema(*database_);
}

Store Store::open_or_create(const std::filesystem::path& path) {
    if (path.empty()) {
        throw BadInput("--db needs the name of a file.");
    }
    const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
    if (!std::filesystem::is_directory(folder)) {
        throw BadInput(fmt::format("no directory {} for {}; create it or name another with --db.",
                                   folder.string(), path.filename().string()));
    }
    const bool locks = locks_work(path, true);
    auto lock = locks ? nullptr : std::make_unique<LockFile>(path);
    auto database = std::make_unique<Database>(path, Database::Access::write, !locks);
    return {std::move(lock), std::move(database)};
}

Store Store::open(const std::filesystem::path& path) {
    refuse_missing(path);
    const bool locks = locks_work(path, false);
    auto lock = locks ? nullptr : std::make_unique<LockFile>(path);
    auto database = std::make_unique<Database>(path, Database::Access::read, !locks);
    return {std::move(lock), std::move(database)};
}

Store Store::open_to_change(const std::filesystem::path& path) {
    refuse_missing(path);
    return open_or_create(path);
}

std::int64_t Store::create_run(const RunRow& run, const std::vector<plan::PointSpec>& points) {
    Transaction transaction(*database_);
    database_
        ->prepare(
            "INSERT INTO run (id, label, created_utc, status, plan_toml, procs, mpi_flavour, command_line, "
            "fathom_version, fathom_commit) SELECT 1 + max(coalesce((SELECT max(id) FROM run), 0), "
            "coalesce((SELECT max(id) FROM deleted_run), 0)), ?1, ?2, 'running', ?3, ?4, ?5, ?6, ?7, ?8")
        .bind(run.label, now_utc(), run.plan_toml, run.procs, run.mpi_flavour, run.command_line,
              run.fathom_version, run.fathom_commit)
        .run();
    const auto id = database_->last_id();
    auto tag = database_->prepare("INSERT INTO tag (run, key, value) VALUES (?1, ?2, ?3)");
    for (const auto& [key, value] : run.tags) {
        tag.bind(id, key, value).run();
    }
    insert_points(id, 0, points, {});
    transaction.commit();
    return id;
}

std::int64_t Store::create_job(std::int64_t run, const std::string& launcher, const std::string& journal) {
    Transaction transaction(*database_);
    database_
        ->prepare(
            "INSERT INTO job (run, started_utc, outcome, launcher, journal, supervisor_host, supervisor_pid) "
            "VALUES (?1, ?2, '', ?3, ?4, ?5, ?6)")
        .bind(run, now_utc(), launcher, journal, machine::host_name(), static_cast<std::int64_t>(::getpid()))
        .run();
    const auto id = database_->last_id();
    set_run_status(run, RunStatus::running);
    transaction.commit();
    return id;
}

void Store::set_run_plan(std::int64_t run, const std::string& plan_toml) {
    database_->prepare("UPDATE run SET plan_toml = ?2 WHERE id = ?1").bind(run, plan_toml).run();
}

void Store::delete_run(std::int64_t run) {
    Transaction transaction(*database_);
    database_->prepare("DELETE FROM run WHERE id = ?1").bind(run).run();
    database_->prepare("INSERT INTO deleted_run (id) VALUES (?1)").bind(run).run();
    transaction.commit();
}

void Store::set_label(std::int64_t run, const std::string& label) {
    database_->prepare("UPDATE run SET label = ?2 WHERE id = ?1").bind(run, label).run();
}

void Store::set_run_status(std::int64_t run, RunStatus status, const std::string& reason) {
    database_->prepare("UPDATE run SET status = ?2, reason = ?3 WHERE id = ?1")
        .bind(run, status, reason)
        .run();
}

void Store::end_job(std::int64_t job, const std::string& reason) {
    database_->prepare("UPDATE job SET ended_utc = ?2, outcome = ?3 WHERE id = ?1")
        .bind(job, now_utc(), reason.empty() ? regular_end : reason)
        .run();
}

void Store::put(std::int64_t job, const journal::JobInfo& info) {
    Transaction transaction(*database_);
    database_
        ->prepare(
            "UPDATE job SET mpi_version = ?2, mpi_standard = ?3, time_source = ?4, simulated = ?5, "
            "clock_ns = ?6, utc_ns = ?7 WHERE id = ?1")
        .bind(job, info.mpi_version, info.mpi_standard, info.time_source, info.simulated, info.clock_ns,
              info.utc_ns)
        .run();
    insert_facts(job, "", info.facts);
    transaction.commit();
}

void Store::insert_facts(std::int64_t job, const std::string& host,
                         const std::map<std::string, std::string>& facts) {
    auto insert = database_->prepare(
        "INSERT OR REPLACE INTO environment (job, host, key, value) VALUES (?1, ?2, ?3, ?4)");
    for (const auto& [key, value] : facts) {
        insert.bind(job, host, key, value).run();
    }
}

void Store::put(std::int64_t job, const journal::RankInfo& rank) {
    database_
        ->prepare(
            "INSERT OR REPLACE INTO rank (job, rank, host, pid, binding, empty_ns, socket, numa_node) VALUES "
            "(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")
        .bind(job, rank.rank, rank.host, rank.pid, rank.binding, rank.empty_ns, rank.socket, rank.numa_node)
        .run();
}

void Store::put(std::int64_t job, const journal::HostInfo& host) {
    Transaction transaction(*database_);
    insert_facts(job, host.host, host.facts);
    transaction.commit();
}

void Store::put(std::int64_t job, const journal::JobEnd& end) {
    Transaction transaction(*database_);
    insert_facts(job, "",
                 {{"memory.rank_0_peak_bytes", fmt::format("{}", end.rank_0_peak_bytes)},
                  {"memory.other_ranks_peak_bytes", fmt::format("{}", end.other_peak_bytes)}});
    transaction.commit();
}

void Store::put(std::int64_t job, std::span<const journal::ClockSync> syncs) {
    Transaction transaction(*database_);
    auto insert = database_->prepare(
        "INSERT OR REPLACE INTO clock_sync (job, sync, rank, at_ns, offset_ns, low_ns, high_ns, "
        "round_trip_ns, "
        "pings, shared, cost_ns, scheme, test) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, "
        "?13)");
    for (const auto& sync : syncs) {
        insert
            .bind(job, sync.sync, sync.rank, sync.at_ns, sync.offset_ns, sync.low_ns, sync.high_ns,
                  sync.round_trip_ns, sync.pings, sync.shared, sync.cost_ns, sync.scheme, sync.test)
            .run();
    }
    transaction.commit();
}

void Store::put(std::int64_t job, std::span<const journal::ClockEvent> events) {
    Transaction transaction(*database_);
    auto insert = database_->prepare(
        "INSERT OR REPLACE INTO clock_event (job, after_ns, event, rank, planned_ns, acted_ns, global_ns, "
        "claimed_ns, sync) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)");
    for (const auto& event : events) {
        insert
            .bind(job, event.after_ns, event.event, event.rank, event.planned_ns, event.acted_ns,
                  event.global_ns, event.claimed_ns, event.sync)
            .run();
    }
    transaction.commit();
}

void Store::put_warning(std::int64_t run, const WarningRow& warning) {
    database_
        ->prepare(
            "INSERT INTO warning (run, severity, code, text, remedy, hosts) SELECT ?1, ?2, ?3, ?4, ?5, ?6 "
            "WHERE NOT EXISTS (SELECT 1 FROM warning WHERE run = ?1 AND code = ?3 AND text = ?4)")
        .bind(run, warning.severity, warning.code, warning.text, warning.remedy,
              fmt::format("{}", fmt::join(warning.hosts, "\n")))
        .run();
}

std::map<std::string, std::string> Store::tags(std::int64_t run) const {
    std::map<std::string, std::string> found;
    auto query = database_->prepare("SELECT key, value FROM tag WHERE run = ?1");
    query.bind(run);
    while (query.step()) {
        found[query.text(0)] = query.text(1);
    }
    return found;
}

std::vector<RunRow> Store::runs() const {
    std::vector<RunRow> found;
    auto query = database_->prepare(std::string(run_query) + "ORDER BY run.id");
    while (query.step()) {
        found.push_back(run_from(query));
        found.back().tags = tags(found.back().id);
    }
    return found;
}

RunRow Store::find_run(const std::string& name, Last last) const {
    const bool number =
        !name.empty() && name.find_first_not_of("0123456789") == std::string::npos && name.size() < 18;
    const auto which =
        number           ? std::string("WHERE run.id = ?1")
        : name == "last" ? fmt::format("ORDER BY {} run.id DESC LIMIT 1",
                                       last == Last::with_results ? fmt::format("{} DESC,", has_results) : "")
                         : std::string("WHERE label = ?1 ORDER BY run.id DESC");
    auto query = database_->prepare(run_query + which);
    if (number) {
        query.bind(static_cast<std::int64_t>(std::stoll(name)));
    } else if (name != "last") {
        query.bind(name);
    }
    if (query.step()) {
        auto run = run_from(query);
        run.tags = tags(run.id);
        return run;
    }
    const auto known = runs();
    if (known.empty()) {
        throw BadInput(fmt::format("{} has no runs yet; 'fathom run' creates one.", path().string()));
    }
    std::vector<std::string> labels{"last"};
    for (const auto& run : known) {
        if (!run.label.empty()) {
            labels.push_back(run.label);
        }
    }
    throw BadInput(fmt::format("no run '{}'.{} {} has {}. 'fathom list runs' shows them.", name,
                               number ? "" : did_you_mean(name, labels), path().string(),
                               known.size() == 1
                                   ? fmt::format("run {}", known[0].id)
                                   : fmt::format("runs {} to {}", known.front().id, known.back().id)));
}

namespace {
/// The newest job of a run that got as far as reporting its library.
constexpr const char* newest_job = "(SELECT max(job.id) FROM job WHERE job.run = ?1 AND mpi_version <> '')";
}  // namespace

std::vector<RankRow> Store::ranks(std::int64_t run) const {
    std::vector<RankRow> found;
    auto query = database_->prepare(fmt::format(
        "SELECT rank, host, pid, binding, empty_ns, socket, numa_node FROM rank WHERE job = {} ORDER BY rank",
        newest_job));
    query.bind(run);
    while (query.step()) {
        found.push_back({.rank = static_cast<int>(query.integer(0)),
                         .host = query.text(1),
                         .pid = query.integer(2),
                         .binding = query.text(3),
                         .empty_ns = query.integer(4),
                         .socket = static_cast<int>(query.integer(5)),
                         .numa_node = static_cast<int>(query.integer(6))});
    }
    return found;
}

EnvironmentRows Store::environment(std::int64_t run) const {
    EnvironmentRows found;
    auto query = database_->prepare(
        fmt::format("SELECT host, key, value FROM environment WHERE job = {}", newest_job));
    query.bind(run);
    while (query.step()) {
        found[query.text(0)][query.text(1)] = query.text(2);
    }
    return found;
}

std::string Store::progress_thread(std::int64_t run) const {
    auto query = database_->prepare(
        "SELECT value FROM environment JOIN job ON job.id = environment.job WHERE job.run = ?1 AND key = ?2 "
        "ORDER BY job.id DESC LIMIT 1");
    query.bind(run, std::string(journal::progress_thread_fact));
    return query.step() ? query.text(0) : std::string();
}

std::vector<WarningRow> Store::warnings(std::int64_t run) const {
    std::vector<WarningRow> found;
    auto query = database_->prepare(
        "SELECT severity, code, text, remedy, hosts FROM warning WHERE run = ?1 ORDER BY id");
    query.bind(run);
    while (query.step()) {
        found.push_back({query.named<Severity>(0), query.text(1), query.text(2), query.text(3),
                         split(query.text(4), '\n')});
    }
    return found;
}

std::optional<JobRow> Store::last_job(std::int64_t run) const {
    auto query = database_->prepare(
        "SELECT id, journal, supervisor_host, supervisor_pid, outcome FROM job WHERE run = ?1 ORDER BY id "
        "DESC LIMIT 1");
    query.bind(run);
    if (!query.step()) {
        return std::nullopt;
    }
    const auto outcome = query.text(4);
    const auto state = outcome.empty()          ? JobState::running
                       : outcome == regular_end ? JobState::complete
                                                : JobState::failed;
    return JobRow{.id = query.integer(0),
                  .journal = query.text(1),
                  .supervisor_host = query.text(2),
                  .supervisor_pid = query.integer(3),
                  .state = state,
                  .reason = state == JobState::failed ? outcome : ""};
}

bool Store::simulated(std::int64_t job) const {
    auto query = database_->prepare("SELECT simulated FROM job WHERE id = ?1");
    query.bind(job);
    return query.step() && query.integer(0) != 0;
}

std::vector<journal::ClockSync> Store::clock_syncs(std::int64_t job) const {
    std::vector<journal::ClockSync> found;
    auto query = database_->prepare(
        "SELECT sync, rank, at_ns, offset_ns, low_ns, high_ns, round_trip_ns, pings, shared, cost_ns, "
        "scheme, test "
        "FROM clock_sync WHERE job = ?1 ORDER BY sync, rank");
    query.bind(job);
    while (query.step()) {
        int at = 0;
        journal::ClockSync sync;
        sync.sync = static_cast<int>(query.integer(at++));
        sync.rank = static_cast<int>(query.integer(at++));
        sync.at_ns = query.integer(at++);
        sync.offset_ns = query.integer(at++);
        sync.low_ns = query.integer(at++);
        sync.high_ns = query.integer(at++);
        sync.round_trip_ns = query.integer(at++);
        sync.pings = static_cast<int>(query.integer(at++));
        sync.shared = query.integer(at++) != 0;
        sync.cost_ns = query.integer(at++);
        sync.scheme = query.text(at++);
        sync.test = query.integer(at++) != 0;
        found.push_back(std::move(sync));
    }
    return found;
}

std::optional<std::int64_t> Store::job_that_checked_its_clock(std::int64_t run) const {
    auto query = database_->prepare(
        "SELECT max(id) FROM job WHERE run = ?1 AND EXISTS (SELECT 1 FROM clock_event WHERE clock_event.job "
        "= job.id)");
    query.bind(run);
    return query.step() && !query.is_null(0) ? std::optional(query.integer(0)) : std::nullopt;
}

std::vector<journal::ClockEvent> Store::clock_events(std::int64_t job) const {
    std::vector<journal::ClockEvent> found;
    auto query = database_->prepare(
        "SELECT after_ns, event, rank, planned_ns, acted_ns, global_ns, claimed_ns, sync FROM clock_event "
        "WHERE job = ?1 ORDER BY after_ns, event, rank");
    query.bind(job);
    while (query.step()) {
        int at = 0;
        journal::ClockEvent event;
        event.after_ns = query.integer(at++);
        event.event = static_cast<int>(query.integer(at++));
        event.rank = static_cast<int>(query.integer(at++));
        event.planned_ns = query.integer(at++);
        event.acted_ns = query.integer(at++);
        event.global_ns = query.integer(at++);
        event.claimed_ns = query.integer(at++);
        event.sync = static_cast<int>(query.integer(at++));
        found.push_back(event);
    }
    return found;
}

EmptyTimes Store::empty_times(std::int64_t job) const {
    EmptyTimes found;
    auto query = database_->prepare("SELECT rank, empty_ns FROM rank WHERE job = ?1");
    query.bind(job);
    while (query.step()) {
        found[static_cast<int>(query.integer(0))] = {query.integer(1)};
    }
    return found;
}

std::optional<Moment> Store::moment(std::int64_t job) const {
    auto query = database_->prepare("SELECT clock_ns, utc_ns FROM job WHERE id = ?1 AND utc_ns > 0");
    query.bind(job);
    return query.step() ? std::optional(Moment{{query.integer(0)}, {query.integer(1)}}) : std::nullopt;
}

}  // namespace fathom::store
