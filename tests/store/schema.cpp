#include "store/schema.hpp"

#include <gtest/gtest.h>

#include "base/test_support.hpp"

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
    for (const auto* table : {"run", "job", "rank", "environment", "point", "sample_block", "warning"}) {
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

TEST(Schema, RemovesAllOfARunWithIt) {
    const TempFolder folder;
    auto database = open(folder);
    bring_to_current_schema(database);
    database.execute(
        "INSERT INTO run VALUES (1, '', '', 'done', '', 2, '', '', '', '');"
        "INSERT INTO point (id, run, position, operation, pattern, procs, size_bytes, status)"
        " VALUES (1, 1, 0, 'bcast', 'all', 2, 8, 'ok');"
        "INSERT INTO sample_block VALUES (1, 0, 0, 1, x'00');"
        "INSERT INTO warning (run, severity, code, text, remedy) VALUES (1, 'note', '', '', '');"
        "DELETE FROM run");
    for (const auto* table : {"point", "sample_block", "warning"}) {
        auto query = database.prepare(std::string("SELECT count(*) FROM ") + table);
        query.step();
        EXPECT_EQ(query.integer(0), 0) << table;
    }
}

}  // namespace
}  // namespace fathom::store
