// What a result file may hold: values that nothing wrote, and objects that no fathom made.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "journal/limits.hpp"
#include "store/row.hpp"
#include "store/sample_store.hpp"
#include "store/sample_study.hpp"
#include "store/schema.hpp"

namespace fathom::store {
namespace {

using testing::block_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::point_spec;
using testing::refusal_of;
using testing::samples_of;
using testing::SampleStore;

/// A file with a point of two ranks, which a test spoils.
class Gate : public ::testing::Test {
  protected:
    Gate() {
        sample.put(0, {block_of(0, 0, samples_of({1, 2})), block_of(1, 0, samples_of({3, 4}))});
        sample.put(1, {block_of(0, 0, samples_of({5})), block_of(1, 0, samples_of({6}))});
    }
    void spoil(const std::string& sql) {
        Database database(sample.folder / "fathom.db", Database::Access::write, false);
        database.execute(sql);
    }
    [[nodiscard]] std::string samples_refused() const {
        return refusal_of([&] {
            sample.store.visit_samples(sample.store.points(sample.run)[0].id, [](auto, auto, const auto&) {});
        });
    }

    SampleStore sample{{point_spec(0, "bcast", 8), point_spec(1, "bcast", 16)}};
};

TEST_F(Gate, NamesFileTableRowAndColumnOfASampleBlock) {
    spoil("UPDATE sample_block SET first_rep = -1 WHERE point = 1 AND rank = 1");
    EXPECT_EQ(samples_refused(),
              (sample.folder / "fathom.db").string() +
                  ": table sample_block, row point 1, rank 1, first_rep -1, column first_rep: -1 is not 0");
}

TEST_F(Gate, RefusesSamplesThatCannotBe) {
    const std::vector<std::pair<std::string, std::string>> spoilt{
        {"first_rep = 1", "column first_rep: 1 is not 0"},
        {"first_rep = 9223372036854775807", "column first_rep"},
        {"rank = 2", "column rank: 2 is not from 0 to 1"},
        {"rank = -1", "column rank: -1 is not from 0 to 1"},
        {"count = 3", "column data: a block of samples is damaged"},
        {"count = -1", "column count: -1 is not from 0"},
        {"count = 4000000000", "column count: 4000000000 is not from 0"},
        {"count = 'two'", "column count: 'two' is not a whole number"},
        {"count = 2.5", "column count: 2.5 is not a whole number"},
        {"data = 'text'", "column data: 'text' is not bytes"},
        {"data = x'00'", "column data: a block of samples is damaged"}};
    for (const auto& [change, complaint] : spoilt) {
        SampleStore fresh({point_spec(0, "bcast", 8)});
        fresh.put(0, {block_of(1, 0, samples_of({1, 2}))});
        Database(fresh.folder / "fathom.db", Database::Access::write, false)
            .execute("UPDATE sample_block SET " + change);
        EXPECT_THAT(refusal_of([&] { fresh.store.visit_samples(1, [](auto, auto, const auto&) {}); }),
                    HasSubstr(complaint))
            << change;
    }
}

TEST_F(Gate, RefusesTimesWithWhichNothingCanBeComputed) {
    for (const auto& sample_of :
         {journal::Sample{{std::int64_t{1} << 62}, {1}, true},
          journal::Sample{{1}, {std::int64_t{1} << 62}, true}, journal::Sample{{INT64_MIN}, {1}, true}}) {
        SampleStore fresh({point_spec(0, "bcast", 8)});
        fresh.put(0, {block_of(0, 0, {sample_of})});
        EXPECT_THAT(refusal_of([&] { fresh.store.visit_samples(1, [](auto, auto, const auto&) {}); }),
                    HasSubstr("table sample_block, row point 1, rank 0, first_rep 0: column data: a value is "
                              "beyond what can be measured"));
    }
}

TEST_F(Gate, GivesAPointWithWhatIsWrongWithItsRow) {
    const std::vector<std::pair<std::string, std::string>> spoilt{
        {"procs = 0", "column procs: 0 is not from 1 to 10000000"},
        {"procs = 4000000000", "column procs: 4000000000"},
        {"calls = 0", "column calls: 0 is not from 1"},
        {"size_bytes = -8", "column size_bytes: -8 is not from 0"},
        {"trial = -1", "column trial: -1 is not from 0"},
        {"position = -5", "column position: -5 is not from 0"},
        {"warmup_calls = -1", "column warmup_calls: -1 is not from 0"},
        {"reason = x'ff'", "column reason: bytes is not a text"},
        {"pairs = '0-1,zz'", "column pairs: 'zz' is not two ranks such as 0-2"},
        {"job = 'x'", "column job: 'x' is not a whole number"}};
    for (const auto& [change, complaint] : spoilt) {
        SampleStore fresh({point_spec(0, "bcast", 8), point_spec(1, "bcast", 16)});
        Database database(fresh.folder / "fathom.db", Database::Access::write, false);
        database.execute("PRAGMA foreign_keys = OFF");
        database.execute("UPDATE point SET " + change + " WHERE id = 1");
        const auto points = fresh.store.points(fresh.run);
        ASSERT_EQ(points.size(), 2U);
        const auto& damaged = points[points[0].id == 1 ? 0 : 1];
        EXPECT_THAT(damaged.damage, HasSubstr("table point, row id 1, " + complaint)) << change;
        EXPECT_EQ(points[points[0].id == 1 ? 1 : 0].damage, "") << change;
        EXPECT_GE(damaged.key.procs, 1);
    }
}

TEST_F(Gate, LeavesOutWhatIsDamagedOfARunAndNotesIt) {
    journal::JobInfo info;
    info.mpi_version = "Open MPI v4";
    sample.store.put(sample.job, info);
    for (const int number : {0, 1}) {
        journal::RankInfo rank;
        rank.rank = number;
        rank.host = number == 0 ? "h0" : "h1";
        sample.store.put(sample.job, rank);
    }
    spoil("UPDATE rank SET socket = 'x' WHERE rank = 0");
    ASSERT_EQ(sample.store.ranks(sample.run).size(), 1U);
    EXPECT_EQ(sample.store.ranks(sample.run).front().host, "h1");
    EXPECT_THAT(
        sample.store.damage(),
        ElementsAre(HasSubstr("table rank, row job 1, rank 0, column socket: 'x' is not a whole number")));
}

TEST_F(Gate, RefusesARunWhoseRowIsDamagedAndListsTheOthers) {
    const auto second = sample.store.create_run(sample.store.find_run("1"), {});
    spoil("UPDATE run SET procs = -7 WHERE id = 1");
    EXPECT_THAT(refusal_of([&] { (void)sample.store.find_run("1"); }),
                HasSubstr("table run, row id 1, column procs: -7 is not from 0"));
    ASSERT_EQ(sample.store.runs().size(), 1U);
    EXPECT_EQ(sample.store.runs().front().id, second);
    EXPECT_EQ(sample.store.damage().size(), 1U);
}

TEST_F(Gate, ReplacesBytesThatAreNoText) {
    spoil("UPDATE run SET label = CAST(x'61ff62' AS TEXT)");
    EXPECT_EQ(sample.store.find_run("1").label,
              "a\xEF\xBF\xBD"
              "b");
    EXPECT_TRUE(sample.store.damage().empty());
}

TEST_F(Gate, RefusesClockRowsThatWouldTakeAllMemory) {
    sample.store.put(sample.job, std::vector<journal::ClockSync>(1));
    spoil("UPDATE clock_sync SET sync = 2147483646");
    EXPECT_THAT(refusal_of([&] { (void)sample.store.clock_syncs(sample.job); }),
                HasSubstr("table clock_sync, row job 1, sync 2147483646, rank 0, column sync"));
}

TEST(GateOfStudies, RefusesRoundsAndStepsThatAreNone) {
    for (const bool round : {true, false}) {
        SampleStore sample({point_spec(0, "overlap.isend", 8)});
        testing::SampleStudy study;
        const int step = study.step(journal::StepScheme::work, 0);
        study.whole(0, round ? step : 7, round ? INT32_MAX - 1 : 0, 100);
        study.put(sample, 0);
        EXPECT_THAT(refusal_of([&] { sample.store.visit_study(1, [](auto, const auto&) {}); }),
                    HasSubstr("table study_block, row point 1, rank 0: column data: a value is beyond"));
    }
}

/// What is said when a file with such a change is opened; nothing of it runs.
std::string opening_refused(const std::string& sql) {
    SampleStore sample({point_spec(0, "bcast", 8)});
    Database(sample.folder / "fathom.db", Database::Access::write, false).execute(sql);
    return refusal_of([&] { (void)Store::open(sample.folder / "fathom.db"); });
}

TEST(ForeignSchema, IsRefusedWithTheNameOfWhatIsNotOurs) {
    EXPECT_THAT(opening_refused("CREATE TRIGGER t AFTER UPDATE ON run BEGIN DELETE FROM run; END"),
                HasSubstr("holds the trigger 't', which no fathom made;"));
    EXPECT_THAT(opening_refused("ALTER TABLE tag RENAME TO gone; CREATE VIEW tag AS WITH RECURSIVE c(x) AS "
                                "(SELECT 1 UNION ALL SELECT x FROM c) SELECT x AS run, x AS key FROM c"),
                HasSubstr("which no fathom made"));
    EXPECT_THAT(opening_refused("CREATE INDEX i ON run (abs(id))"), HasSubstr("holds the index 'i'"));
    EXPECT_THAT(opening_refused("CREATE TABLE extra (x)"), HasSubstr("holds the table 'extra'"));
    EXPECT_THAT(opening_refused("ALTER TABLE tag ADD COLUMN g AS (abs(run))"),
                HasSubstr("holds the table 'tag', which no fathom made like this"));
    EXPECT_THAT(opening_refused("PRAGMA user_version = -1"), HasSubstr("is damaged (schema -1)"));
}

TEST(ForeignSchema, DoesNotRunEvenIfItAppearsLater) {
    SampleStore sample({point_spec(0, "bcast", 8)});
    Database other(sample.folder / "fathom.db", Database::Access::write, false);
    other.execute("CREATE TRIGGER t AFTER UPDATE ON run BEGIN DELETE FROM run; END");
    sample.store.set_label(sample.run, "new");
    EXPECT_EQ(sample.store.find_run("1").label, "new");
    other.execute("CREATE VIEW v AS SELECT 1");
    EXPECT_THROW(other.prepare("SELECT * FROM v").step(), Error);
}

TEST(OwnSchema, IsAcceptedAtEveryVersion) {
    const testing::TempFolder folder;
    Database database(folder / "x.db", Database::Access::write, false);
    bring_to_current_schema(database);
    EXPECT_NO_THROW(bring_to_current_schema(database));
}

}  // namespace
}  // namespace fathom::store
