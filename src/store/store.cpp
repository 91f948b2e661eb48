#include "store/store.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <unistd.h>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "machine/facts.hpp"
#include "store/row.hpp"
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
    "'') AS mpi_version, coalesce(time_source, '') AS time_source, coalesce(simulated, 0) AS simulated, "
    "command_line, fathom_version, fathom_commit, origin, in_turn_with "
    "FROM run LEFT JOIN job ON job.id = (SELECT max(id) FROM job AS newest WHERE newest.run = run.id "
    "AND newest.mpi_version <> '') ";

RunRow run_from(Row& row) {
    RunRow run;
    run.id = row.id();
    run.label = row.text();
    run.created_utc = row.text();
    run.status = row.named<RunStatus>();
    run.reason = row.text();
    run.plan_toml = row.text();
    run.procs = row.number(0, journal::most_ranks);
    run.mpi_flavour = row.text();
    run.mpi_version = row.text();
    run.time_source = row.text();
    run.simulated = row.flag();
    run.command_line = row.text();
    run.fathom_version = row.text();
    run.fathom_commit = row.text();
    run.origin = row.named<RunOrigin>();
    run.in_turn_with = row.optional_integer(0, INT64_MAX);
    return run;
}

/// SQLite gives some names a meaning of their own: what was measured would be gone with the process.
void refuse_what_is_no_file(const std::filesystem::path& path) {
    if (path == ":memory:" || path.string().starts_with("file:")) {
        throw BadInput(fmt::format("--db names a file, and {} is not kept in one; give a path{}.",
                                   path.string(),
                                   path == ":memory:" ? "" : fmt::format(" such as ./{}", path.string())));
    }
}

void refuse_missing(const std::filesystem::path& path) {
    refuse_what_is_no_file(path);
    if (!std::filesystem::exists(path)) {
        throw BadInput(fmt::format("no results in {} yet: 'fathom run' creates it, --db FILE names another.",
                                   path.string()));
    }
}

/// Whether a job has reported a point of the run: one whose launch failed has none.
constexpr const char* has_results =
    "EXISTS (SELECT 1 FROM point WHERE point.run = run.id AND point.job IS NOT NULL)";

}  // namespace

Store::Store(std::unique_ptr<LockFile> lock, std::unique_ptr<Database> database, Database::Access access)
    : lock_(std::move(lock)), database_(std::move(database)) {
    if (access == Database::Access::read && !has_current_schema(*database_)) {
        database_ = database_->private_copy();
    }
    bring_to_current_schema(*database_);
}

Store Store::open_or_create(const std::filesystem::path& path) {
    if (path.empty()) {
        throw BadInput("--db needs the name of a file.");
    }
    refuse_what_is_no_file(path);
    const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
    if (!std::filesystem::is_directory(folder)) {
        throw BadInput(fmt::format("no directory {} for {}; create it or name another with --db.",
                                   folder.string(), path.filename().string()));
    }
    const bool locks = locks_work(path, true);
    auto lock = locks ? nullptr : std::make_unique<LockFile>(path);
    auto database = std::make_unique<Database>(path, Database::Access::write, !locks);
    return {std::move(lock), std::move(database), Database::Access::write};
}

Store Store::open(const std::filesystem::path& path) {
    refuse_missing(path);
    const bool locks = locks_work(path, false);
    auto lock = locks ? nullptr : std::make_unique<LockFile>(path);
    auto database = std::make_unique<Database>(path, Database::Access::read, !locks);
    return {std::move(lock), std::move(database), Database::Access::read};
}

Store Store::open_to_change(const std::filesystem::path& path) {
    refuse_missing(path);
    return open_or_create(path);
}

std::int64_t Store::create_run(const RunRow& run, const std::vector<plan::PointSpec>& points) {
    auto writing = transaction();
    database_
        ->prepare(
            "INSERT INTO run (id, label, created_utc, status, plan_toml, procs, mpi_flavour, command_line, "
            "fathom_version, fathom_commit, origin, in_turn_with) SELECT 1 + max(coalesce((SELECT max(id) "
            "FROM run), 0), "
            "coalesce((SELECT max(id) FROM deleted_run), 0)), ?1, ?2, 'running', ?3, ?4, ?5, ?6, ?7, ?8, ?9, "
            "?10")
        .bind(run.label, now_utc(), run.plan_toml, run.procs, run.mpi_flavour, run.command_line,
              run.fathom_version, run.fathom_commit, std::string(to_text(run.origin)), run.in_turn_with)
        .run();
    const auto id = database_->last_id();
    auto tag = database_->prepare("INSERT INTO tag (run, key, value) VALUES (?1, ?2, ?3)");
    for (const auto& [key, value] : run.tags) {
        tag.bind(id, key, value).run();
    }
    insert_points(id, 0, points, {});
    writing.commit();
    return id;
}

std::int64_t Store::create_job(std::int64_t run, const std::string& launcher, const std::string& journal) {
    auto writing = transaction();
    database_
        ->prepare(
            "INSERT INTO job (run, started_utc, outcome, launcher, journal, supervisor_host, supervisor_pid) "
            "VALUES (?1, ?2, '', ?3, ?4, ?5, ?6)")
        .bind(run, now_utc(), launcher, journal, machine::host_name(), static_cast<std::int64_t>(::getpid()))
        .run();
    const auto id = database_->last_id();
    set_run_status(run, RunStatus::running);
    writing.commit();
    return id;
}

void Store::set_run_plan(std::int64_t run, const std::string& plan_toml) {
    auto writing = transaction();
    database_->prepare("UPDATE run SET plan_toml = ?2 WHERE id = ?1").bind(run, plan_toml).run();
    writing.commit();
}

void Store::set_mark(std::int64_t run, const RunMark& mark) {
    auto writing = transaction();
    database_->prepare("INSERT OR REPLACE INTO run_mark (run, plan, variables) VALUES (?1, ?2, ?3)")
        .bind(run, mark.plan, mark.variables)
        .run();
    writing.commit();
}

void Store::delete_run(std::int64_t run) {
    auto writing = transaction();
    database_->prepare("DELETE FROM run WHERE id = ?1").bind(run).run();
    database_->prepare("INSERT INTO deleted_run (id) VALUES (?1)").bind(run).run();
    writing.commit();
}

void Store::set_label(std::int64_t run, const std::string& label) {
    auto writing = transaction();
    database_->prepare("UPDATE run SET label = ?2 WHERE id = ?1").bind(run, label).run();
    writing.commit();
}

void Store::set_run_status(std::int64_t run, RunStatus status, const std::string& reason) {
    auto writing = transaction();
    database_->prepare("UPDATE run SET status = ?2, reason = ?3 WHERE id = ?1")
        .bind(run, status, reason)
        .run();
    writing.commit();
}

void Store::end_job(std::int64_t job, const std::string& reason) {
    auto writing = transaction();
    database_->prepare("UPDATE job SET ended_utc = ?2, outcome = ?3 WHERE id = ?1")
        .bind(job, now_utc(), reason.empty() ? regular_end : reason)
        .run();
    writing.commit();
}

void Store::put(std::int64_t job, const journal::JobInfo& info) {
    auto writing = transaction();
    database_
        ->prepare(
            "UPDATE job SET mpi_version = ?2, mpi_standard = ?3, time_source = ?4, simulated = ?5, "
            "clock_ns = ?6, utc_ns = ?7 WHERE id = ?1")
        .bind(job, info.mpi_version, info.mpi_standard, info.time_source, info.simulated, info.clock_ns,
              info.utc_ns)
        .run();
    insert_facts(job, "", info.facts);
    writing.commit();
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
    auto writing = transaction();
    database_
        ->prepare(
            "INSERT OR REPLACE INTO rank (job, rank, host, pid, binding, empty_ns, socket, numa_node) VALUES "
            "(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")
        .bind(job, rank.rank, rank.host, rank.pid, rank.binding, rank.empty_ns, rank.socket, rank.numa_node)
        .run();
    writing.commit();
}

void Store::put(std::int64_t job, const journal::HostInfo& host) {
    auto writing = transaction();
    insert_facts(job, host.host, host.facts);
    writing.commit();
}

void Store::put(std::int64_t job, const journal::JobEnd& end) {
    auto writing = transaction();
    insert_facts(job, "",
                 {{"memory.rank_0_peak_bytes", fmt::format("{}", end.rank_0_peak_bytes)},
                  {"memory.other_ranks_peak_bytes", fmt::format("{}", end.other_peak_bytes)}});
    writing.commit();
}

void Store::put(std::int64_t job, std::span<const journal::ClockSync> syncs) {
    auto writing = transaction();
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
    writing.commit();
}

void Store::put(std::int64_t job, std::span<const journal::ClockEvent> events) {
    auto writing = transaction();
    auto insert = database_->prepare(
        "INSERT OR REPLACE INTO clock_event (job, after_ns, event, rank, planned_ns, acted_ns, global_ns, "
        "claimed_ns, sync) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)");
    for (const auto& event : events) {
        insert
            .bind(job, event.after_ns, event.event, event.rank, event.planned_ns, event.acted_ns,
                  event.global_ns, event.claimed_ns, event.sync)
            .run();
    }
    writing.commit();
}

void Store::put_warning(std::int64_t run, const WarningRow& warning) {
    auto writing = transaction();
    database_
        ->prepare(
            "INSERT INTO warning (run, severity, code, text, remedy, hosts) SELECT ?1, ?2, ?3, ?4, ?5, ?6 "
            "WHERE NOT EXISTS (SELECT 1 FROM warning WHERE run = ?1 AND code = ?3 AND text = ?4)")
        .bind(run, warning.severity, warning.code, warning.text, warning.remedy,
              fmt::format("{}", fmt::join(warning.hosts, "\n")))
        .run();
    writing.commit();
}

void Store::note_damage(const std::string& what) const {
    constexpr std::size_t most = 20;  // a reader needs no longer list to know that a file is damaged
    if (damage_.size() < most && std::find(damage_.begin(), damage_.end(), what) == damage_.end()) {
        damage_.push_back(what);
    }
}

bool Store::sound(const Row& row) const {
    if (!row.damage().empty()) {
        note_damage(row.damage());
    }
    return row.damage().empty();
}

std::map<std::string, std::string> Store::tags(std::int64_t run) const {
    std::map<std::string, std::string> found;
    auto query = database_->prepare("SELECT run, key, value FROM tag WHERE run = ?1");
    query.bind(run);
    while (query.step()) {
        Row row(query, "tag", 2);
        row.id();
        auto key = row.text();
        auto value = row.text();
        if (sound(row)) {
            found[std::move(key)] = std::move(value);
        }
    }
    return found;
}

std::vector<RunRow> Store::runs() const {
    std::vector<RunRow> found;
    auto query = database_->prepare(std::string(run_query) + "ORDER BY run.id");
    while (query.step()) {
        Row row(query, "run");
        auto run = run_from(row);
        if (sound(row)) {
            run.tags = tags(run.id);
            found.push_back(std::move(run));
        }
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
        Row row(query, "run");
        auto run = run_from(row);
        row.require();
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
    auto query = database_->prepare(
        fmt::format("SELECT job, rank, host, pid, binding, empty_ns, socket, numa_node FROM rank WHERE job = "
                    "{} ORDER BY rank",
                    newest_job));
    query.bind(run);
    while (query.step()) {
        constexpr int most_places = 1 << 20;
        Row row(query, "rank", 2);
        row.id();
        RankRow rank;
        rank.rank = row.rank();
        rank.host = row.text();
        rank.pid = row.integer(0, INT64_MAX);
        rank.binding = row.text();
        rank.empty_ns = row.integer(-journal::longest_empty_ns, journal::longest_empty_ns);
        rank.socket = row.number(-1, most_places);
        rank.numa_node = row.number(-1, most_places);
        if (sound(row)) {
            found.push_back(std::move(rank));
        }
    }
    return found;
}

EnvironmentRows Store::environment(std::int64_t run) const {
    EnvironmentRows found;
    auto query = database_->prepare(
        fmt::format("SELECT job, host, key, value FROM environment WHERE job = {}", newest_job));
    query.bind(run);
    while (query.step()) {
        Row row(query, "environment", 3);
        row.id();
        const auto host = row.text();
        const auto key = row.text();
        auto value = row.text();
        if (sound(row)) {
            found[host][key] = std::move(value);
        }
    }
    return found;
}

std::string Store::progress_thread(std::int64_t run) const {
    auto query = database_->prepare(
        "SELECT environment.job, host, key, value FROM environment JOIN job ON job.id = environment.job "
        "WHERE "
        "job.run = ?1 AND key = ?2 ORDER BY job.id DESC LIMIT 1");
    query.bind(run, std::string(journal::progress_thread_fact));
    if (!query.step()) {
        return {};
    }
    Row row(query, "environment", 3);
    row.id();
    row.text();
    row.text();
    auto value = row.text();
    return sound(row) ? value : std::string();
}

std::vector<WarningRow> Store::warnings(std::int64_t run) const {
    std::vector<WarningRow> found;
    auto query = database_->prepare(
        "SELECT id, severity, code, text, remedy, hosts FROM warning WHERE run = ?1 ORDER BY id");
    query.bind(run);
    while (query.step()) {
        Row row(query, "warning");
        row.id();
        WarningRow warning;
        warning.severity = row.named<Severity>();
        warning.code = row.text();
        warning.text = row.text();
        warning.remedy = row.text();
        warning.hosts = split(row.text(), '\n');
        if (sound(row)) {
            found.push_back(std::move(warning));
        }
    }
    return found;
}

std::optional<RunMark> Store::mark(std::int64_t run) const {
    auto query = database_->prepare("SELECT run, plan, variables FROM run_mark WHERE run = ?1");
    query.bind(run);
    if (!query.step()) {
        return std::nullopt;
    }
    Row row(query, "run_mark");
    row.id();
    RunMark mark;
    mark.plan = row.text();
    mark.variables = row.text();
    return sound(row) ? std::optional(std::move(mark)) : std::nullopt;
}

std::optional<JobRow> Store::last_job(std::int64_t run) const {
    auto query =
        database_->prepare("SELECT id, journal, outcome FROM job WHERE run = ?1 ORDER BY id DESC LIMIT 1");
    query.bind(run);
    if (!query.step()) {
        return std::nullopt;
    }
    Row row(query, "job");
    JobRow job;
    job.id = row.id();
    job.journal = row.text();
    const auto outcome = row.text();
    job.state = outcome.empty()          ? JobState::running
                : outcome == regular_end ? JobState::complete
                                         : JobState::failed;
    job.reason = job.state == JobState::failed ? outcome : "";
    return sound(row) ? std::optional(std::move(job)) : std::nullopt;
}

bool Store::simulated(std::int64_t job) const {
    auto query = database_->prepare("SELECT id, simulated FROM job WHERE id = ?1");
    query.bind(job);
    if (!query.step()) {
        return false;
    }
    Row row(query, "job");
    row.id();
    const bool simulated = row.flag();
    row.require();
    return simulated;
}

std::vector<journal::ClockSync> Store::clock_syncs(std::int64_t job) const {
    std::vector<journal::ClockSync> found;
    auto query = database_->prepare(
        "SELECT job, sync, rank, at_ns, offset_ns, low_ns, high_ns, round_trip_ns, pings, shared, cost_ns, "
        "scheme, test FROM clock_sync WHERE job = ?1 ORDER BY sync, rank");
    query.bind(job);
    while (query.step()) {
        Row row(query, "clock_sync", 3);
        row.id();
        journal::ClockSync sync;
        sync.sync = row.number(0, journal::most_syncs);
        sync.rank = row.rank();
        sync.at_ns = row.time();
        sync.offset_ns = row.time();
        sync.low_ns = row.time();
        sync.high_ns = row.time();
        sync.round_trip_ns = row.duration();
        sync.pings = row.number(0, journal::most_pings);
        sync.shared = row.flag();
        sync.cost_ns = row.duration();
        sync.scheme = row.text();
        sync.test = row.flag();
        row.require();
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
        "SELECT job, after_ns, event, rank, planned_ns, acted_ns, global_ns, claimed_ns, sync FROM "
        "clock_event WHERE job = ?1 ORDER BY after_ns, event, rank");
    query.bind(job);
    while (query.step()) {
        Row row(query, "clock_event", 4);
        row.id();
        journal::ClockEvent event;
        event.after_ns = row.time();
        event.event = row.number(0, INT32_MAX);
        event.rank = row.rank();
        event.planned_ns = row.time();
        event.acted_ns = row.time();
        event.global_ns = row.time();
        event.claimed_ns = row.duration();
        event.sync = row.number(0, journal::most_syncs);
        row.require();
        found.push_back(event);
    }
    return found;
}

EmptyTimes Store::empty_times(std::int64_t job) const {
    EmptyTimes found;
    auto query = database_->prepare("SELECT job, rank, empty_ns FROM rank WHERE job = ?1");
    query.bind(job);
    while (query.step()) {
        Row row(query, "rank", 2);
        row.id();
        const auto rank = row.rank();
        const auto empty = row.integer(-journal::longest_empty_ns, journal::longest_empty_ns);
        row.require();
        found[rank] = {empty};
    }
    return found;
}

std::map<int, std::string> Store::hosts(std::int64_t job) const {
    std::map<int, std::string> found;
    auto query = database_->prepare("SELECT job, rank, host FROM rank WHERE job = ?1");
    query.bind(job);
    while (query.step()) {
        Row row(query, "rank", 2);
        row.id();
        const auto rank = row.rank();
        auto host = row.text();
        row.require();
        found[rank] = std::move(host);
    }
    return found;
}

std::optional<Moment> Store::moment(std::int64_t job) const {
    auto query = database_->prepare("SELECT id, clock_ns, utc_ns FROM job WHERE id = ?1 AND utc_ns > 0");
    query.bind(job);
    if (!query.step()) {
        return std::nullopt;
    }
    Row row(query, "job");
    row.id();
    const Moment moment{{row.time()}, {row.time()}};
    return sound(row) ? std::optional(moment) : std::nullopt;
}

}  // namespace fathom::store
