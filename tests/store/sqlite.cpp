#include "store/sqlite.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "base/test_support.hpp"

namespace fathom::store {
namespace {

using testing::TempFolder;

class Sqlite : public ::testing::Test {
  protected:
    std::int64_t count() {
        auto query = database.prepare("SELECT count(*) FROM t");
        query.step();
        return query.integer(0);
    }

    TempFolder folder;
    Database database{folder / "x.db", Database::Access::write, false};
};

TEST_F(Sqlite, GivesBackValuesOfEveryKind) {
    database.execute("CREATE TABLE t (i, s, b, n)");
    const std::string text("with \0 inside", 13);
    const std::string bytes("\0\xff\x01", 3);
    database.prepare("INSERT INTO t VALUES (?1, ?2, ?3, ?4)")
        .bind(std::numeric_limits<std::int64_t>::min(), text, "", std::optional<std::int64_t>())
        .bind_blob(3, bytes)
        .run();
    auto query = database.prepare("SELECT i, s, b, n FROM t");
    ASSERT_TRUE(query.step());
    EXPECT_EQ(query.integer(0), std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ(query.text(1), text);
    EXPECT_EQ(query.blob(2), bytes);
    EXPECT_TRUE(query.is_null(3));
    EXPECT_FALSE(query.is_null(0));
    EXPECT_FALSE(query.step());
}

TEST_F(Sqlite, RollsBackATransactionThatIsNotCommitted) {
    database.execute("CREATE TABLE t (i)");
    {
        const Transaction transaction(database);
        database.execute("INSERT INTO t VALUES (1)");
    }
    EXPECT_EQ(count(), 0);
    {
        Transaction transaction(database);
        database.execute("INSERT INTO t VALUES (1)");
        transaction.commit();
    }
    EXPECT_EQ(count(), 1);
}

TEST_F(Sqlite, EnforcesForeignKeys) {
    database.execute("CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE t (p REFERENCES p)");
    EXPECT_THROW(database.execute("INSERT INTO t VALUES (5)"), Error);
}

TEST_F(Sqlite, NamesTheFileInEveryFailure) {
    try {
        database.execute("SELECT nonsense");
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(
            std::string(error.what()).rfind((folder / "x.db").string() + ": no such column: nonsense", 0), 0U)
            << error.what();
    }
}

TEST_F(Sqlite, CanReuseAStatement) {
    database.execute("CREATE TABLE t (i)");
    auto insert = database.prepare("INSERT INTO t VALUES (?1)");
    for (int i = 0; i < 3; ++i) {
        insert.bind(i).run();
    }
    EXPECT_EQ(count(), 3);
}

TEST_F(Sqlite, DoesNotMakeAFileToRead) {
    EXPECT_THROW(Database(folder / "absent.db", Database::Access::read, false), BadInput);
    EXPECT_FALSE(std::filesystem::exists(folder / "absent.db"));
}

TEST_F(Sqlite, WorksWithoutLocks) {
    Database plain(folder / "y.db", Database::Access::write, true);
    plain.execute("CREATE TABLE t (i); INSERT INTO t VALUES (7)");
    auto query = plain.prepare("SELECT i FROM t");
    ASSERT_TRUE(query.step());
    EXPECT_EQ(query.integer(0), 7);
}

}  // namespace
}  // namespace fathom::store
