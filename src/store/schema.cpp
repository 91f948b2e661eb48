#include "store/schema.hpp"

#include <array>

#include <fmt/format.h>

#include "base/error.hpp"
#include "store/schema_check.hpp"

namespace fathom::store {
namespace {

constexpr std::int64_t application_id = 0x6661746d;  // "fatm"

/// Step i brings version i to version i + 1. Never change a step that was released: add one.
constexpr auto migrations = std::to_array<const char*>({
    R"(
    CREATE TABLE run (
        id INTEGER PRIMARY KEY,
        label TEXT NOT NULL,
        created_utc TEXT NOT NULL,
        status TEXT NOT NULL CHECK (status IN ('running', 'done', 'interrupted', 'failed')),
        plan_toml TEXT NOT NULL,
        procs INTEGER NOT NULL,
        mpi_flavour TEXT NOT NULL,
        command_line TEXT NOT NULL,
        fathom_version TEXT NOT NULL,
        fathom_commit TEXT NOT NULL
    );
    CREATE TABLE job (
        id INTEGER PRIMARY KEY,
        run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
        started_utc TEXT NOT NULL,
        ended_utc TEXT,
        outcome TEXT NOT NULL,
        launcher TEXT NOT NULL,
        journal TEXT NOT NULL,
        supervisor_host TEXT NOT NULL,
        supervisor_pid INTEGER NOT NULL,
        mpi_version TEXT NOT NULL DEFAULT '',
        mpi_standard TEXT NOT NULL DEFAULT '',
        time_source TEXT NOT NULL DEFAULT '',
        simulated INTEGER NOT NULL DEFAULT 0
    );
    CREATE INDEX job_of_run ON job (run);
    CREATE TABLE rank (
        job INTEGER NOT NULL REFERENCES job ON DELETE CASCADE,
        rank INTEGER NOT NULL,
        host TEXT NOT NULL,
        pid INTEGER NOT NULL,
        binding TEXT NOT NULL,
        PRIMARY KEY (job, rank)
    ) WITHOUT ROWID;
    -- host '' holds what is true of the whole job
    CREATE TABLE environment (
        job INTEGER NOT NULL REFERENCES job ON DELETE CASCADE,
        host TEXT NOT NULL,
        key TEXT NOT NULL,
        value TEXT NOT NULL,
        PRIMARY KEY (job, host, key)
    ) WITHOUT ROWID;
    CREATE TABLE point (
        id INTEGER PRIMARY KEY,
        run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
        position INTEGER NOT NULL,
        operation TEXT NOT NULL,
        pattern TEXT NOT NULL,
        procs INTEGER NOT NULL,
        size_bytes INTEGER NOT NULL,
        status TEXT NOT NULL CHECK (status IN ('pending', 'ok', 'failed', 'died', 'unavailable')),
        reason TEXT NOT NULL DEFAULT '',
        datatype TEXT NOT NULL DEFAULT '',
        deaths INTEGER NOT NULL DEFAULT 0,
        job INTEGER REFERENCES job,
        UNIQUE (run, position)
    );
    CREATE TABLE sample_block (
        point INTEGER NOT NULL REFERENCES point ON DELETE CASCADE,
        rank INTEGER NOT NULL,
        first_rep INTEGER NOT NULL,
        count INTEGER NOT NULL,
        data BLOB NOT NULL,
        PRIMARY KEY (point, rank, first_rep)
    );
    CREATE TABLE warning (
        id INTEGER PRIMARY KEY,
        run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
        point INTEGER REFERENCES point ON DELETE CASCADE,
        severity TEXT NOT NULL CHECK (severity IN ('serious', 'note')),
        code TEXT NOT NULL,
        text TEXT NOT NULL,
        remedy TEXT NOT NULL
    );
    CREATE INDEX warning_of_run ON warning (run);
    )",
    R"(
    -- every synchronisation: how far a rank's clock was ahead of rank 0's
    CREATE TABLE clock_sync (
        job INTEGER NOT NULL REFERENCES job ON DELETE CASCADE,
        sync INTEGER NOT NULL,
        rank INTEGER NOT NULL,
        at_ns INTEGER NOT NULL,
        offset_ns INTEGER NOT NULL,
        low_ns INTEGER NOT NULL,
        high_ns INTEGER NOT NULL,
        round_trip_ns INTEGER NOT NULL,
        pings INTEGER NOT NULL,
        shared INTEGER NOT NULL,
        cost_ns INTEGER NOT NULL,
        scheme TEXT NOT NULL,
        test INTEGER NOT NULL,
        PRIMARY KEY (job, sync, rank)
    ) WITHOUT ROWID;
    -- tests of the clock: what all ranks did at one planned instant
    CREATE TABLE clock_event (
        job INTEGER NOT NULL REFERENCES job ON DELETE CASCADE,
        after_ns INTEGER NOT NULL,
        event INTEGER NOT NULL,
        rank INTEGER NOT NULL,
        planned_ns INTEGER NOT NULL,
        acted_ns INTEGER NOT NULL,
        global_ns INTEGER NOT NULL,
        claimed_ns INTEGER NOT NULL,
        sync INTEGER NOT NULL,
        PRIMARY KEY (job, after_ns, event, rank)
    ) WITHOUT ROWID;
    )",
    R"(
    ALTER TABLE point ADD COLUMN start TEXT NOT NULL DEFAULT '';
    ALTER TABLE point ADD COLUMN warmup_calls INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE point ADD COLUMN remark TEXT NOT NULL DEFAULT '';
    )",
    R"(
    -- trial: which start of the whole job (--runs) a point belongs to, from 0
    ALTER TABLE point ADD COLUMN trial INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE point ADD COLUMN scheme TEXT NOT NULL DEFAULT '';
    ALTER TABLE point ADD COLUMN purpose TEXT NOT NULL DEFAULT '';
    ALTER TABLE point ADD COLUMN calls INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE point ADD COLUMN cache TEXT NOT NULL DEFAULT '';
    -- what an empty repetition takes on a rank: subtracted from every duration
    ALTER TABLE rank ADD COLUMN empty_ns INTEGER NOT NULL DEFAULT 0;
    -- one moment on rank 0's clock and in time of day
    ALTER TABLE job ADD COLUMN clock_ns INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE job ADD COLUMN utc_ns INTEGER NOT NULL DEFAULT 0;
    -- when a rank was ready to run and others had its processor
    CREATE TABLE disturbance (
        point INTEGER NOT NULL REFERENCES point ON DELETE CASCADE,
        rank INTEGER NOT NULL,
        begin_ns INTEGER NOT NULL,
        end_ns INTEGER NOT NULL,
        waited_ns INTEGER NOT NULL,
        PRIMARY KEY (point, rank, begin_ns)
    ) WITHOUT ROWID;
    )",
    R"(
    -- who communicated with whom: '0-2,1-3'
    ALTER TABLE point ADD COLUMN pairs TEXT NOT NULL DEFAULT '';
    -- what an operation counted on a rank besides its times, over all repetitions of a point
    CREATE TABLE tally (
        point INTEGER NOT NULL REFERENCES point ON DELETE CASCADE,
        rank INTEGER NOT NULL,
        name TEXT NOT NULL,
        value REAL NOT NULL,
        PRIMARY KEY (point, rank, name)
    ) WITHOUT ROWID;
    )",
    R"(
    -- who made communication go on: '' (as the library is set up) or 'thread'
    ALTER TABLE point ADD COLUMN progress TEXT NOT NULL DEFAULT '';
    -- studies of overlap: what was done in each step, and all repetitions of a rank
    CREATE TABLE study_step (
        point INTEGER NOT NULL REFERENCES point ON DELETE CASCADE,
        step INTEGER NOT NULL,
        scheme TEXT NOT NULL,
        work_ns INTEGER NOT NULL,
        tests INTEGER NOT NULL,
        interval_bytes INTEGER NOT NULL,
        PRIMARY KEY (point, step)
    ) WITHOUT ROWID;
    CREATE TABLE study_block (
        point INTEGER NOT NULL REFERENCES point ON DELETE CASCADE,
        rank INTEGER NOT NULL,
        count INTEGER NOT NULL,
        data BLOB NOT NULL,
        PRIMARY KEY (point, rank)
    );
    )",
    R"(
    -- what the operating system counted around repetitions of a rank: packed, with what counting took
    CREATE TABLE evidence_block (
        point INTEGER NOT NULL REFERENCES point ON DELETE CASCADE,
        rank INTEGER NOT NULL,
        block INTEGER NOT NULL,
        count INTEGER NOT NULL,
        readings INTEGER NOT NULL,
        spent_ns INTEGER NOT NULL,
        measured_ns INTEGER NOT NULL,
        network INTEGER NOT NULL,
        rto_ns INTEGER NOT NULL,
        rto_min_ns INTEGER NOT NULL,
        data BLOB NOT NULL,
        PRIMARY KEY (point, rank, block)
    );
    )",
    R"(
    -- the hosts that a warning is about, one a line; '': the whole run
    ALTER TABLE warning ADD COLUMN hosts TEXT NOT NULL DEFAULT '';
    )",
    R"(
    -- why a run is not complete
    ALTER TABLE run ADD COLUMN reason TEXT NOT NULL DEFAULT '';
    UPDATE run SET reason = coalesce((SELECT outcome FROM job WHERE job.run = run.id AND outcome <> 'done'
        ORDER BY job.id DESC LIMIT 1), '') WHERE status IN ('interrupted', 'failed');
    -- numbers that must not be given to another run
    CREATE TABLE deleted_run (id INTEGER PRIMARY KEY);
    )",
    R"(
    -- what the user notes of a run: --tag key=value
    CREATE TABLE tag (
        run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
        key TEXT NOT NULL,
        value TEXT NOT NULL,
        PRIMARY KEY (run, key)
    ) WITHOUT ROWID;
    )",
    R"(
    -- where a rank's processors are, by number; -1: in several, or not known
    ALTER TABLE rank ADD COLUMN socket INTEGER NOT NULL DEFAULT -1;
    ALTER TABLE rank ADD COLUMN numa_node INTEGER NOT NULL DEFAULT -1;
    )",
    R"(
    -- the values of varied settings (--vary): 'btl_vader_eager_limit=4096'
    ALTER TABLE point ADD COLUMN setting TEXT NOT NULL DEFAULT '';
    )",
    R"(
    -- the one process that measures a run and may write to it; its heartbeat grows while it lives
    CREATE TABLE lease (
        run INTEGER PRIMARY KEY REFERENCES run ON DELETE CASCADE,
        owner TEXT NOT NULL,
        host TEXT NOT NULL,
        boot_id TEXT NOT NULL,
        namespaces TEXT NOT NULL,
        pid INTEGER NOT NULL,
        start_ticks INTEGER NOT NULL,
        taken_utc TEXT NOT NULL,
        heartbeat INTEGER NOT NULL
    );
    )",
    R"(
    -- by whom a run was made: keyed hashes of its plan, and of that and the variables of its jobs
    CREATE TABLE run_mark (
        run INTEGER PRIMARY KEY REFERENCES run ON DELETE CASCADE,
        plan TEXT NOT NULL,
        variables TEXT NOT NULL
    );
    )",
    R"(
    -- what performed the collective: '' (the library) or 'tree:NAME'
    ALTER TABLE point ADD COLUMN implementation TEXT NOT NULL DEFAULT '';
    -- time stamps inside calls of our own collectives on a rank: packed, with how many found no room
    CREATE TABLE event_block (
        point INTEGER NOT NULL REFERENCES point ON DELETE CASCADE,
        rank INTEGER NOT NULL,
        block INTEGER NOT NULL,
        every INTEGER NOT NULL,
        first_call INTEGER NOT NULL,
        count INTEGER NOT NULL,
        dropped INTEGER NOT NULL,
        data BLOB NOT NULL,
        PRIMARY KEY (point, rank, block)
    );
    )",
    R"(
    -- whether a run is a round of a search, which until now its tags told
    ALTER TABLE run ADD COLUMN origin TEXT NOT NULL DEFAULT 'user' CHECK (origin IN ('user', 'search'));
    UPDATE run SET origin = 'search' WHERE id IN (SELECT run FROM tag WHERE key = 'round')
        AND id IN (SELECT run FROM tag WHERE key IN ('tune', 'protocol', 'proof', 'tree-optimize'));
    )",
    R"(
    -- the run with which one command measured this one in turn (--against); 0: none; NULL: not recorded
    ALTER TABLE run ADD COLUMN in_turn_with INTEGER;
    )",
});

/// Takes the steps up to a version that are left: another process may have taken some meanwhile.
void migrate(Database& database, std::int64_t to) {
    for (auto step = database.pragma("user_version"); step < to; ++step) {
        database.execute(migrations.at(static_cast<std::size_t>(step)));
        database.execute(fmt::format("PRAGMA user_version = {}", step + 1));
    }
}

/// The version of a file that is ours, or of an empty one. Throws BadInput for any other.
std::int64_t checked_version(Database& database) {
    const Snapshot snapshot(database);  // another process may be making or migrating the file
    const auto version = database.pragma("user_version");
    const auto id = database.pragma("application_id");
    auto objects = database.prepare("SELECT 1 FROM sqlite_schema");
    if (id == 0 && version == 0 && !objects.step()) {
        return version;
    }
    if (id != application_id) {
        throw BadInput(fmt::format("{} is the database of another program; name another file with --db.",
                                   database.path().string()));
    }
    if (version < 0) {
        throw BadInput(
            fmt::format("{} is damaged (schema {}); restore it from a copy or name another with --db.",
                        database.path().string(), version));
    }
    if (version > current_schema_version()) {
        throw BadInput(fmt::format(
            "{} was written by a newer fathom (schema {}, this version supports {}); use that version.",
            database.path().string(), version, current_schema_version()));
    }
    Database own(":memory:", Database::Access::write, false);
    migrate(own, version);
    refuse_foreign_objects(database, own);
    return version;
}

}  // namespace

int current_schema_version() {
    return static_cast<int>(migrations.size());
}

bool has_current_schema(Database& database) {
    return checked_version(database) == current_schema_version();
}

void bring_to_current_schema(Database& database) {
    bring_to_schema(database, current_schema_version());
}

void bring_to_schema(Database& database, int version) {
    if (checked_version(database) >= version) {
        return;
    }
    Transaction transaction(database);
    migrate(database, version);
    database.execute(fmt::format("PRAGMA application_id = {}", application_id));
    transaction.commit();
}

}  // namespace fathom::store
