#include "store/schema.hpp"

#include <gtest/gtest.h>

#include "base/file.hpp"
#include "base/test_support.hpp"
#include "store/sample_store.hpp"

namespace fathom::store {
namespace {

using testing::TempFolder;

Database open(const TempFolder& folder) {
    return {folder / "x.db", Database::Access::write, false};
}

std::int64_t tables(const Database& database) {
    auto query = database.prepare("SELECT count(*) FROM sqlite_schema WHERE type = 'table'");
    query.step();
    return query.integer(0);
}

TEST(Schema, IsMadeInAnEmptyFile) {
    const TempFolder folder;
    auto database = open(folder);
    ASSERT_EQ(tables(database), 0);
    bring_to_current_schema(database);
    EXPECT_EQ(database.pragma("user_version"), current_schema_version());
    EXPECT_EQ(database.pragma("application_id"), 0x6661746d);
    for (const auto* table : {"run", "job", "rank", "environment", "point", "sample_block", "warning",
                              "clock_sync", "clock_event", "disturbance"}) {
        EXPECT_NO_THROW(database.prepare(std::string("SELECT * FROM ") + table).run()) << table;
    }
}

TEST(Schema, IsLeftAloneWhereItIsCurrent) {
    const TempFolder folder;
    auto database = open(folder);
    bring_to_current_schema(database);
    const auto before = tables(database);
    bring_to_current_schema(database);
    EXPECT_EQ(tables(database), before);
}

TEST(Schema, IsNotForcedUponADatabaseWithAnotherId) {
    const TempFolder folder;
    auto database = open(folder);
    database.execute("PRAGMA application_id = 42");
    EXPECT_THROW(bring_to_current_schema(database), BadInput);
    EXPECT_EQ(tables(database), 0);
}

TEST(Schema, IsNotForcedUponADatabaseWithAVersionOnly) {
    const TempFolder folder;
    auto database = open(folder);
    database.execute("PRAGMA user_version = 1");
    EXPECT_THROW(bring_to_current_schema(database), BadInput);
}

/// A result file as fathom wrote it before points had trials: one run with one measured point.
void make_version_3(Database& database) {
    database.execute(R"(
        CREATE TABLE run (id INTEGER PRIMARY KEY, label TEXT NOT NULL, created_utc TEXT NOT NULL,
            status TEXT NOT NULL CHECK (status IN ('running', 'done', 'interrupted', 'failed')),
            plan_toml TEXT NOT NULL, procs INTEGER NOT NULL, mpi_flavour TEXT NOT NULL,
            command_line TEXT NOT NULL, fathom_version TEXT NOT NULL, fathom_commit TEXT NOT NULL);
        CREATE TABLE job (id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
            started_utc TEXT NOT NULL, ended_utc TEXT, outcome TEXT NOT NULL, launcher TEXT NOT NULL,
            journal TEXT NOT NULL, supervisor_host TEXT NOT NULL, supervisor_pid INTEGER NOT NULL,
            mpi_version TEXT NOT NULL DEFAULT '', mpi_standard TEXT NOT NULL DEFAULT '',
            time_source TEXT NOT NULL DEFAULT '', simulated INTEGER NOT NULL DEFAULT 0);
        CREATE TABLE rank (job INTEGER NOT NULL REFERENCES job ON DELETE CASCADE, rank INTEGER NOT NULL,
            host TEXT NOT NULL, pid INTEGER NOT NULL, binding TEXT NOT NULL,
            PRIMARY KEY (job, rank)) WITHOUT ROWID;
        CREATE TABLE environment (job INTEGER NOT NULL REFERENCES job ON DELETE CASCADE,
            host TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
            PRIMARY KEY (job, host, key)) WITHOUT ROWID;
        CREATE TABLE point (id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
            position INTEGER NOT NULL, operation TEXT NOT NULL, pattern TEXT NOT NULL,
            procs INTEGER NOT NULL, size_bytes INTEGER NOT NULL,
            status TEXT NOT NULL CHECK (status IN ('pending', 'ok', 'failed', 'died', 'unavailable')),
            reason TEXT NOT NULL DEFAULT '', datatype TEXT NOT NULL DEFAULT '',
            deaths INTEGER NOT NULL DEFAULT 0, job INTEGER REFERENCES job,
            start TEXT NOT NULL DEFAULT '', warmup_calls INTEGER NOT NULL DEFAULT 0,
            remark TEXT NOT NULL DEFAULT '', UNIQUE (run, position));
        CREATE TABLE sample_block (point INTEGER NOT NULL REFERENCES point ON DELETE CASCADE,
            rank INTEGER NOT NULL, first_rep INTEGER NOT NULL, count INTEGER NOT NULL, data BLOB NOT NULL,
            PRIMARY KEY (point, rank, first_rep));
        CREATE TABLE warning (id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
            point INTEGER REFERENCES point ON DELETE CASCADE,
            severity TEXT NOT NULL CHECK (severity IN ('serious', 'note')), code TEXT NOT NULL,
            text TEXT NOT NULL, remedy TEXT NOT NULL);
        CREATE TABLE clock_sync (job INTEGER NOT NULL REFERENCES job ON DELETE CASCADE,
            sync INTEGER NOT NULL, rank INTEGER NOT NULL, at_ns INTEGER NOT NULL, offset_ns INTEGER NOT NULL,
            low_ns INTEGER NOT NULL, high_ns INTEGER NOT NULL, round_trip_ns INTEGER NOT NULL,
            pings INTEGER NOT NULL, shared INTEGER NOT NULL, cost_ns INTEGER NOT NULL, scheme TEXT NOT NULL,
            test INTEGER NOT NULL, PRIMARY KEY (job, sync, rank)) WITHOUT ROWID;
        CREATE TABLE clock_event (job INTEGER NOT NULL REFERENCES job ON DELETE CASCADE,
            after_ns INTEGER NOT NULL, event INTEGER NOT NULL, rank INTEGER NOT NULL,
            planned_ns INTEGER NOT NULL, acted_ns INTEGER NOT NULL, global_ns INTEGER NOT NULL,
            claimed_ns INTEGER NOT NULL, sync INTEGER NOT NULL,
            PRIMARY KEY (job, after_ns, event, rank)) WITHOUT ROWID;
        INSERT INTO run VALUES (1, 'old', '2026-01-01T00:00:00Z', 'done', 'reps = 3', 2, 'openmpi', '', '', '');
        INSERT INTO job VALUES (1, 1, '', '', 'done', '', '', '', 0, 'Open MPI v4', '3.1', 'tsc', 0);
        INSERT INTO rank VALUES (1, 0, 'h0', 10, '0');
        INSERT INTO point VALUES (1, 1, 0, 'bcast', 'all', 2, 8, 'ok', '', 'byte', 0, 1, 'window', 7, 'x');
        PRAGMA user_version = 3;
        PRAGMA application_id = 0x6661746d;
    )");
    auto insert = database.prepare("INSERT INTO sample_block VALUES (1, 0, 0, 3, ?1)");
    insert.bind_blob(1, journal::pack_samples(testing::samples_of({10, 20, 30}))).run();
}

TEST(Schema, OfAnEarlierFathomIsBroughtUpToDateWithItsContent) {
    const TempFolder folder;
    {
        auto database = open(folder);
        make_version_3(database);
    }
    const auto store = Store::open_or_create(folder / "x.db");
    {
        const auto database = open(folder);
        EXPECT_EQ(database.pragma("user_version"), current_schema_version());
    }
    const auto run = store.find_run("old");
    EXPECT_EQ(run.status, RunStatus::done);
    EXPECT_EQ(run.origin, RunOrigin::user);
    EXPECT_FALSE(run.in_turn_with) << "not recorded";
    const auto point = store.point(run.id, 0);
    EXPECT_EQ(point.key.operation, "bcast");
    EXPECT_EQ(point.start, "window");
    EXPECT_EQ(point.warmup_calls, 7);
    EXPECT_EQ(point.remark, "x");
    // What an old file does not record has the meaning it had then.
    EXPECT_EQ(point.launch, 0);
    EXPECT_EQ(point.key.scheme, "");
    EXPECT_EQ(point.key.implementation, "") << "the library";
    EXPECT_FALSE(store.trace(point.id));
    EXPECT_EQ(point.purpose, "");
    EXPECT_EQ(point.calls, 1);
    EXPECT_EQ(point.cache, "");
    EXPECT_EQ(store.empty_times(1).at(0), Nanoseconds{0});
    EXPECT_FALSE(store.moment(1));
    EXPECT_TRUE(store.disturbances(point.id).empty());
    std::vector<journal::Sample> found;
    store.visit_samples(
        point.id, [&](int, std::int64_t, const std::vector<journal::Sample>& samples) { found = samples; });
    EXPECT_EQ(found, testing::samples_of({10, 20, 30}));
}

TEST(Schema, KnowsRoundsOfSearchesOfAnEarlierFathomByTheirTags) {
    constexpr int without_origin = 15;
    const TempFolder folder;
    {
        auto database = open(folder);
        bring_to_schema(database, without_origin);
        for (const char* run : {"1", "2", "3", "4"}) {
            database.execute(
                std::string("INSERT INTO run (id, label, created_utc, status, plan_toml, procs, "
                            "mpi_flavour, command_line, fathom_version, fathom_commit) VALUES (") +
                run + ", '', '', 'done', '', 2, '', '', '', '')");
        }
        database.execute(
            "INSERT INTO tag VALUES (1, 'tune', 'a.1'), (1, 'round', '3'), (2, 'tree-optimize', 'b.1'),"
            " (2, 'round', '1'), (3, 'round', 'of the user'), (4, 'tune', 'of the user')");
    }
    const auto store = Store::open(folder / "x.db");
    EXPECT_EQ(store.find_run("1").origin, RunOrigin::search);
    EXPECT_EQ(store.find_run("2").origin, RunOrigin::search);
    EXPECT_EQ(store.find_run("3").origin, RunOrigin::user);
    EXPECT_EQ(store.find_run("4").origin, RunOrigin::user);
}

TEST(Schema, OfAnEarlierFathomTakesNewPointsAfterwards) {
    const TempFolder folder;
    {
        auto database = open(folder);
        make_version_3(database);
    }
    auto store = Store::open_or_create(folder / "x.db");
    const auto spec = testing::point_spec(1, "bcast", 16);
    store.add_points(1, 2, std::span(&spec, 1));
    EXPECT_EQ(store.point(1, 1).launch, 2);
}

TEST(Schema, OfAnEarlierFathomIsReadWithoutChangingTheFile) {
    const TempFolder folder;
    {
        auto database = open(folder);
        make_version_3(database);
    }
    const auto before = read_file(folder / "x.db");
    {
        const auto store = Store::open(folder / "x.db");
        EXPECT_EQ(store.path(), folder / "x.db");
        EXPECT_EQ(store.find_run("old").id, 1);
        EXPECT_EQ(store.point(1, 0).key.operation, "bcast");
    }
    EXPECT_EQ(read_file(folder / "x.db"), before);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(Schema, RemovesAllOfARunWithIt) {
    const TempFolder folder;
    auto database = open(folder);
    bring_to_current_schema(database);
    database.execute(
        "INSERT INTO run (id, label, created_utc, status, plan_toml, procs, mpi_flavour, command_line,"
        " fathom_version, fathom_commit) VALUES (1, '', '', 'done', '', 2, '', '', '', '');"
        "INSERT INTO point (id, run, position, operation, pattern, procs, size_bytes, status)"
        " VALUES (1, 1, 0, 'bcast', 'all', 2, 8, 'ok');"
        "INSERT INTO sample_block VALUES (1, 0, 0, 1, x'00');"
        "INSERT INTO disturbance VALUES (1, 0, 10, 20, 5);"
        "INSERT INTO warning (run, severity, code, text, remedy) VALUES (1, 'note', '', '', '');"
        "DELETE FROM run");
    for (const auto* table : {"point", "sample_block", "disturbance", "warning"}) {
        auto query = database.prepare(std::string("SELECT count(*) FROM ") + table);
        query.step();
        EXPECT_EQ(query.integer(0), 0) << table;
    }
}

}  // namespace
}  // namespace fathom::store
