#include "store/store.hpp"

#include <sys/stat.h>
#include <tuple>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "base/test_support.hpp"
#include "journal/limits.hpp"
#include "store/sample_clock.hpp"
#include "store/sample_store.hpp"

namespace fathom::store {
namespace {

using testing::block_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using testing::point_spec;
using testing::refusal_of;
using testing::samples_of;
using testing::SampleStore;
using testing::source_of;
using testing::TempFolder;

/// Drops root's permission to write everything, for the duration of a test.
class AsNobody {
  public:
    AsNobody() : root_(::geteuid() == 0) {
        if (root_ && ::seteuid(65534) != 0) {
            throw std::runtime_error("cannot become nobody");
        }
    }
    AsNobody(const AsNobody&) = delete;
    AsNobody& operator=(const AsNobody&) = delete;
    ~AsNobody() {
        if (root_ && ::seteuid(0) != 0) {
            std::abort();
        }
    }

  private:
    bool root_;
};

RunRow row_of(const std::string& label) {
    RunRow row;
    row.label = label;
    row.plan_toml = "reps = 7\n";
    row.procs = 4;
    row.mpi_flavour = "mpich";
    row.command_line = "fathom run bcast";
    row.fathom_version = "9.9";
    row.fathom_commit = "c0ffee";
    row.origin = RunOrigin::search;
    row.in_turn_with = 7;
    return row;
}

/// All samples of a point by rank, in the order they come.
std::vector<std::pair<int, journal::Sample>> all_samples(const Store& store, std::int64_t point) {
    std::vector<std::pair<int, journal::Sample>> found;
    store.visit_samples(point, [&](int rank, std::int64_t, const std::vector<journal::Sample>& samples) {
        for (const auto& sample : samples) {
            found.emplace_back(rank, sample);
        }
    });
    return found;
}

class StoreFile : public ::testing::Test {
  protected:
    TempFolder folder;
    std::filesystem::path path = folder / "fathom.db";
};

TEST_F(StoreFile, CreatesARunWithAllItsPointsOrNotAtAll) {
    auto store = Store::open_or_create(path);
    EXPECT_THROW(store.create_run(row_of(""), {point_spec(0, "bcast", 8), point_spec(0, "bcast", 16)}),
                 Error);
    EXPECT_THAT(store.runs(), IsEmpty());
}

TEST_F(StoreFile, KeepsARunAndItsPoints) {
    std::int64_t id = 0;
    {
        auto store = Store::open_or_create(path);
        id = store.create_run(row_of("night"), {point_spec(0, "bcast", 8), point_spec(1, "barrier", 0)});
    }
    const auto store = Store::open(path);
    ASSERT_EQ(store.runs().size(), 1U);
    const auto run = store.runs().front();
    EXPECT_EQ(run.id, id);
    EXPECT_EQ(run.label, "night");
    EXPECT_EQ(run.status, RunStatus::running);
    EXPECT_EQ(run.plan_toml, "reps = 7\n");
    EXPECT_EQ(run.procs, 4);
    EXPECT_EQ(run.mpi_flavour, "mpich");
    EXPECT_EQ(run.command_line, "fathom run bcast");
    EXPECT_EQ(run.fathom_version, "9.9");
    EXPECT_EQ(run.fathom_commit, "c0ffee");
    EXPECT_EQ(run.origin, RunOrigin::search);
    EXPECT_EQ(run.in_turn_with, 7);
    EXPECT_THAT(run.created_utc, ::testing::MatchesRegex("20..-..-..T..:..:..Z"));
    const auto points = store.points(id);
    ASSERT_EQ(points.size(), 2U);
    EXPECT_EQ(points[0].key.operation, "bcast");
    EXPECT_EQ(points[0].key.pattern, "all");
    EXPECT_EQ(points[0].key.size, Bytes{8});
    EXPECT_EQ(points[0].key.procs, 2);
    EXPECT_EQ(points[0].status, journal::PointStatus::pending);
    EXPECT_EQ(points[1].position, 1);
}

TEST_F(StoreFile, KeepsSizesBeyond2GiB) {
    auto store = Store::open_or_create(path);
    const auto run = store.create_run(row_of(""), {point_spec(0, "bcast", std::int64_t{16} << 30)});
    EXPECT_EQ(store.points(run).front().key.size.count, std::int64_t{16} << 30);
}

TEST_F(StoreFile, FindsARunByNumberLastOrLabel) {
    auto store = Store::open_or_create(path);
    store.create_run(row_of("a"), {});
    store.create_run(row_of("b"), {});
    store.create_run(row_of("a"), {});
    EXPECT_EQ(store.find_run("2").label, "b");
    EXPECT_EQ(store.find_run("last").id, 3);
    EXPECT_EQ(store.find_run("a").id, 3) << "the newest with that label";
    EXPECT_EQ(store.find_run("b").id, 2);
}

TEST_F(StoreFile, SaysWhichRunsThereAre) {
    auto store = Store::open_or_create(path);
    const auto file = path.string();
    EXPECT_EQ(refusal_of([&] { return store.find_run("last"); }),
              file + " has no runs yet; 'fathom run' creates one.");
    store.create_run(row_of("baseline"), {});
    EXPECT_EQ(refusal_of([&] { return store.find_run("7"); }),
              "no run '7'. " + file + " has run 1. 'fathom list runs' shows them.");
    store.create_run(row_of("tuned"), {});
    EXPECT_EQ(refusal_of([&] { return store.find_run("3"); }),
              "no run '3'. " + file + " has runs 1 to 2. 'fathom list runs' shows them.");
    EXPECT_EQ(refusal_of([&] { return store.find_run("basline"); }),
              "no run 'basline'. Did you mean 'baseline'? " + file +
                  " has runs 1 to 2. 'fathom list runs' shows them.");
    EXPECT_EQ(
        refusal_of([&] { return store.find_run("99999999999999999999999"); }),
        "no run '99999999999999999999999'. " + file + " has runs 1 to 2. 'fathom list runs' shows them.");
    EXPECT_EQ(
        refusal_of([&] { return store.find_run("x'; DROP TABLE run; --"); }),
        "no run 'x'; DROP TABLE run; --'. " + file + " has runs 1 to 2. 'fathom list runs' shows them.");
}

TEST_F(StoreFile, ThatIsNotThereIsRefusedAndNotMade) {
    EXPECT_EQ(refusal_of([&] { Store::open(path); }),
              "no results in " + path.string() + " yet: 'fathom run' creates it, --db FILE names another.");
    EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(StoreFile, InAFolderThatIsNotThereIsRefused) {
    EXPECT_EQ(
        refusal_of([&] { Store::open_or_create(folder / "no/fathom.db"); }),
        "no directory " + (folder / "no").string() + " for fathom.db; create it or name another with --db.");
}

TEST_F(StoreFile, ThatIsADirectoryIsRefused) {
    EXPECT_THROW(Store::open_or_create(folder.path()), BadInput);
    EXPECT_THROW(Store::open(folder.path()), BadInput);
}

TEST_F(StoreFile, ThatIsNoDatabaseIsRefusedAndLeftAsItWas) {
    const std::string text =
        "These are my notes, in a file that happens to lie here. " + std::string(2000, 'x');
    write_file(path, text);
    const auto message = path.string() + " is not a fathom result file; name another with --db.";
    EXPECT_EQ(refusal_of([&] { Store::open(path); }), message);
    EXPECT_EQ(refusal_of([&] { Store::open_or_create(path); }), message);
    EXPECT_EQ(read_file(path), text);
}

TEST_F(StoreFile, OfAnotherProgramIsRefusedAndLeftAsItWas) {
    { Database(path, Database::Access::write, false).execute("CREATE TABLE photo (id INTEGER)"); }
    const auto bytes = read_file(path);
    const auto message = path.string() + " is the database of another program; name another file with --db.";
    EXPECT_EQ(refusal_of([&] { Store::open(path); }), message);
    EXPECT_EQ(refusal_of([&] { Store::open_or_create(path); }), message);
    EXPECT_EQ(read_file(path), bytes);
}

TEST_F(StoreFile, OfANewerFathomIsRefusedAndLeftAsItWas) {
    Store::open_or_create(path);
    { Database(path, Database::Access::write, false).execute("PRAGMA user_version = 99"); }
    const auto bytes = read_file(path);
    EXPECT_THAT(refusal_of([&] { Store::open(path); }),
                ::testing::StartsWith(path.string() +
                                      " was written by a newer fathom (schema 99, this version supports "));
    EXPECT_THROW(Store::open_or_create(path), BadInput);
    EXPECT_EQ(read_file(path), bytes);
}

TEST_F(StoreFile, ThatIsDamagedIsNamedAndNotCrashedOn) {
    std::int64_t run = 0;
    {
        auto store = Store::open_or_create(path);
        std::vector<plan::PointSpec> points;
        for (int i = 0; i < 500; ++i) {
            points.push_back(point_spec(i, "bcast", i));
        }
        run = store.create_run(row_of("big"), points);
    }
    auto bytes = read_file(path);
    ASSERT_GT(bytes.size(), 40'000U);
    std::fill(bytes.begin() + 20'000, bytes.end(), '\xee');
    write_file(path, bytes);
    EXPECT_THAT(refusal_of([&] { return Store::open(path).points(run); }),
                HasSubstr(path.string() + " is damaged (database disk image is malformed); restore it"));
}

TEST_F(StoreFile, CutShortIsNamedAndNotCrashedOn) {
    std::int64_t run = 0;
    {
        auto store = Store::open_or_create(path);
        run = store.create_run(row_of(std::string(100'000, 'x')), {point_spec(0, "bcast", 8)});
    }
    std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
    EXPECT_THROW(
        {
            const auto store = Store::open(path);
            EXPECT_EQ(store.runs().front().label.size(), 100'000U);
            EXPECT_EQ(store.points(run).size(), 1U);
        },
        Error);
}

TEST_F(StoreFile, ThatMayNotBeWrittenCanStillBeRead) {
    std::int64_t run = 0;
    {
        auto store = Store::open_or_create(path);
        run = store.create_run(row_of("kept"), {point_spec(0, "bcast", 8)});
    }
    ::chmod(path.c_str(), 0444);
    ::chmod(folder.path().c_str(), 0555);
    {
        const AsNobody nobody;
        EXPECT_EQ(Store::open(path).find_run("kept").id, run);
        EXPECT_THAT(refusal_of([&] { Store::open_or_create(path); }),
                    ::testing::StartsWith("cannot write " + path.string()));
    }
    ::chmod(folder.path().c_str(), 0755);
}

TEST_F(StoreFile, IsReadWhileItIsWritten) {
    auto writer = Store::open_or_create(path);
    const auto run = writer.create_run(row_of(""), {point_spec(0, "bcast", 8)});
    const auto reader = Store::open(path);
    EXPECT_EQ(reader.points(run).front().status, journal::PointStatus::pending);
    writer.mark_point(run, 0, journal::PointStatus::failed, "x", false);
    EXPECT_EQ(reader.points(run).front().status, journal::PointStatus::failed);
}

TEST_F(StoreFile, HasALockFileOnlyWhereLocksDoNotWork) {
    const bool work = locks_work(path, true);
    const auto store = Store::open_or_create(path);
    EXPECT_EQ(store.without_locks(), !work);
    EXPECT_EQ(std::filesystem::exists(path.string() + ".lock"), !work);
}

TEST(Store, KeepsSamplesInTheOrderOfRankAndRepetition) {
    SampleStore sample({point_spec(0, "bcast", 8)});
    sample.put(0, {block_of(1, 2, samples_of({30, 40})), block_of(0, 0, samples_of({1, 2})),
                   block_of(1, 0, samples_of({10, 20})), block_of(0, 2, samples_of({3, 4}))});
    const auto point = sample.store.points(sample.run).front();
    EXPECT_EQ(point.status, journal::PointStatus::ok);
    EXPECT_EQ(point.datatype, "float");
    std::vector<std::int64_t> durations;
    std::vector<std::int64_t> firsts;
    sample.store.visit_samples(point.id,
                               [&](int, std::int64_t first, const std::vector<journal::Sample>& samples) {
                                   firsts.push_back(first);
                                   for (const auto& one : samples) {
                                       durations.push_back(one.duration.count);
                                   }
                               });
    EXPECT_THAT(durations, ElementsAre(1, 2, 3, 4, 10, 20, 30, 40));
    EXPECT_THAT(firsts, ElementsAre(0, 2, 0, 2));
}

TEST(Store, TakesAPointWithAllItsSamplesOrNotAtAll) {
    SampleStore sample({point_spec(0, "bcast", 8)});
    int given = 0;
    EXPECT_THROW(sample.store.put_point(sample.run, sample.job, {.index = 0, .datatype = "float"},
                                        [&]() -> std::optional<journal::SampleBlock> {
                                            if (++given == 3) {
                                                throw NotMeasured("the journal cannot be read");
                                            }
                                            return block_of(given, 0, samples_of({1}));
                                        }),
                 NotMeasured);
    const auto point = sample.store.points(sample.run).front();
    EXPECT_EQ(point.status, journal::PointStatus::pending);
    EXPECT_THAT(all_samples(sample.store, point.id), IsEmpty());
    sample.put(0, {block_of(0, 0, samples_of({5}))});
    EXPECT_EQ(all_samples(sample.store, point.id).size(), 1U) << "the store is usable afterwards";
}

TEST(Store, TakesAPointOnlyWithAsManySamplesAsItsEndAnnounces) {
    SampleStore sample({point_spec(0, "bcast", 8)});
    const auto put = [&](std::int64_t announced) {
        sample.store.put_point(
            sample.run, sample.job, {.index = 0, .status = journal::PointStatus::ok, .samples = announced},
            source_of({block_of(0, 0, samples_of({1, 2})), block_of(1, 0, samples_of({3, 4}))}));
    };
    for (const std::int64_t wrong : {0, 2, 3, 5, 1'000'000}) {
        EXPECT_THROW(put(wrong), NotMeasured) << wrong;
        EXPECT_EQ(sample.store.point(sample.run, 0).status, journal::PointStatus::pending);
        EXPECT_THAT(all_samples(sample.store, sample.store.point(sample.run, 0).id), IsEmpty());
    }
    put(4);
    EXPECT_EQ(sample.store.point(sample.run, 0).status, journal::PointStatus::ok);
    EXPECT_EQ(all_samples(sample.store, sample.store.point(sample.run, 0).id).size(), 4U);
}

TEST(Store, KeepsTheEarlierSamplesWhenTheirReplacementFails) {
    SampleStore sample({point_spec(0, "bcast", 8)});
    sample.put(0, {block_of(0, 0, samples_of({5, 6, 7}))});
    EXPECT_THROW(
        sample.store.put_point(sample.run, sample.job,
                               {.index = 0, .status = journal::PointStatus::failed, .reason = "no"},
                               []() -> std::optional<journal::SampleBlock> { throw NotMeasured("x"); }),
        NotMeasured);
    const auto point = sample.store.points(sample.run).front();
    EXPECT_EQ(point.status, journal::PointStatus::ok);
    EXPECT_EQ(all_samples(sample.store, point.id).size(), 3U);
}

TEST(Store, ReplacesTheSamplesOfAPointMeasuredAgain) {
    SampleStore sample({point_spec(0, "bcast", 8)});
    sample.put(0, {block_of(0, 0, samples_of({5, 6, 7})), block_of(1, 0, samples_of({5, 6, 7}))});
    sample.put(0, {block_of(0, 0, samples_of({9}))});
    const auto found = all_samples(sample.store, sample.store.points(sample.run).front().id);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found.front().second.duration.count, 9);
}

TEST(Store, RefusesAPointThatTheRunDoesNotHave) {
    SampleStore sample({point_spec(0, "bcast", 8)});
    EXPECT_EQ(refusal_of([&] { sample.put(7, {}); }),
              "the journal refers to point 7, which run 1 does not have.");
}

TEST(Store, CountsTheDeathsOfAPoint) {
    SampleStore sample({point_spec(0, "bcast", 8), point_spec(1, "bcast", 16)});
    sample.store.mark_point(sample.run, 1, journal::PointStatus::died, "rank 0 died", true);
    auto point = sample.store.points(sample.run).at(1);
    EXPECT_EQ(point.status, journal::PointStatus::died);
    EXPECT_EQ(point.reason, "rank 0 died");
    EXPECT_EQ(point.deaths, 1);
    sample.store.mark_point(sample.run, 1, journal::PointStatus::failed, "died twice", true);
    sample.store.mark_point(sample.run, 1, journal::PointStatus::pending, "interrupted", false);
    point = sample.store.points(sample.run).at(1);
    EXPECT_EQ(point.status, journal::PointStatus::pending);
    EXPECT_EQ(point.deaths, 2);
    EXPECT_EQ(sample.store.points(sample.run).at(0).deaths, 0) << "the other point is left alone";
}

TEST(Store, DoesNotDoubleAWarning) {
    SampleStore sample({});
    const WarningRow of_two{Severity::serious, "governor", "h and i: powersave", "set it", {"h", "i"}};
    sample.store.put_warning(sample.run, of_two);
    sample.store.put_warning(sample.run, of_two);
    sample.store.put_warning(sample.run, {Severity::serious, "governor", "g: powersave", "set it"});
    const auto warnings = sample.store.warnings(sample.run);
    ASSERT_EQ(warnings.size(), 2U);
    EXPECT_EQ(warnings[0], of_two);
    EXPECT_EQ(warnings[1].text, "g: powersave");
    const auto other = sample.store.create_run(row_of(""), {});
    sample.store.put_warning(other, {store::Severity::serious, "governor", "h: powersave", "set it"});
    EXPECT_EQ(sample.store.warnings(other).size(), 1U) << "another run has warnings of its own";
}

TEST(Store, RefusesWhatBelongsToNoRun) {
    SampleStore sample({});
    EXPECT_THROW(sample.store.create_job(999, "", ""), Error);
    EXPECT_THROW(sample.store.put_warning(999, {store::Severity::note, "x", "x", "x"}), Error);
    EXPECT_THROW(sample.store.put(999, journal::RankInfo{}), Error);
    EXPECT_THROW(sample.store.put(999, journal::HostInfo{"h", {{"a", "b"}}}), Error);
}

TEST(Store, RefusesStatusesThatDoNotExist) {
    SampleStore sample({point_spec(0, "bcast", 8)});
    Database database(sample.folder / "fathom.db", Database::Access::write, false);
    EXPECT_THROW(database.execute("UPDATE run SET status = 'finished'"), Error);
    EXPECT_THROW(database.execute("UPDATE point SET status = 'good'"), Error);
    database.execute("PRAGMA ignore_check_constraints = ON; UPDATE run SET status = 'finished'");
    try {
        static_cast<void>(sample.store.find_run("last"));
        FAIL() << "a newer fathom may have written it";
    } catch (const BadInput& error) {
        EXPECT_THAT(error.what(), HasSubstr("'finished'"));
    }
    sample.store.set_run_status(sample.run, store::RunStatus::done);
    EXPECT_EQ(sample.store.find_run("last").status, RunStatus::done);
}

TEST(Store, KeepsWhatAJobTellsOfItself) {
    SampleStore sample({});
    EXPECT_THAT(sample.store.ranks(sample.run), IsEmpty());
    sample.store.put(sample.job,
                     journal::JobInfo{2, true, "smpi", "SimGrid 3", "3.1", "simulated", "", {{"A", "1"}}});
    sample.store.put(sample.job, journal::RankInfo{1, "h1", 11, "1"});
    sample.store.put(sample.job, journal::RankInfo{0, "h0", 10, "0"});
    sample.store.put(sample.job, journal::HostInfo{"h0", {{"cores", "4"}, {"kernel", "x"}}});
    const auto run = sample.store.find_run("last");
    EXPECT_EQ(run.mpi_version, "SimGrid 3");
    EXPECT_EQ(run.time_source, "simulated");
    EXPECT_TRUE(run.simulated);
    const auto ranks = sample.store.ranks(sample.run);
    ASSERT_EQ(ranks.size(), 2U);
    EXPECT_EQ(ranks[0].host, "h0");
    EXPECT_EQ(ranks[1].pid, 11);
    EXPECT_EQ(ranks[1].binding, "1");
    EXPECT_THAT(sample.store.environment(sample.run),
                ElementsAre(Pair("", ElementsAre(Pair("A", "1"))),
                            Pair("h0", ElementsAre(Pair("cores", "4"), Pair("kernel", "x")))));
}

TEST(Store, KeepsWhatAJobToldOfItsProgressThreadThoughOthersFollow) {
    SampleStore sample({});
    EXPECT_EQ(sample.store.progress_thread(sample.run), "");
    sample.store.put(
        sample.job,
        journal::JobInfo{2, false, "mpich", "v", "4.0", "t", "", {{"progress_thread", "ASYNC=1"}}});
    const auto later = sample.store.create_job(sample.run, "mpirun", "/j2");
    sample.store.put(later, journal::JobInfo{2, false, "mpich", "v", "4.0", "t", "", {{"A", "1"}}});
    EXPECT_EQ(sample.store.progress_thread(sample.run), "ASYNC=1");
    EXPECT_EQ(sample.store.progress_thread(sample.run + 1), "");
}

TEST(Store, TakesTheSameFactsTwice) {
    SampleStore sample({});
    for (int i = 0; i < 2; ++i) {
        sample.store.put(sample.job, journal::JobInfo{2, false, "mpich", "v", "4.0", "t", "", {{"A", "1"}}});
        sample.store.put(sample.job, journal::RankInfo{0, "h0", 10, "0"});
        sample.store.put(sample.job, journal::HostInfo{"h0", {{"cores", "4"}}});
    }
    EXPECT_EQ(sample.store.ranks(sample.run).size(), 1U);
}

TEST(Store, ShowsTheNewestJobThatGotAsFarAsTellingOfItself) {
    SampleStore sample({});
    sample.store.put(sample.job, journal::JobInfo{2, false, "mpich", "first", "4.0", "t", "", {}});
    sample.store.put(sample.job, journal::RankInfo{0, "h0", 10, "0"});
    sample.store.create_job(sample.run, "mpirun", "/j2");
    EXPECT_EQ(sample.store.find_run("last").mpi_version, "first");
    EXPECT_EQ(sample.store.ranks(sample.run).size(), 1U);
    const auto third = sample.store.create_job(sample.run, "mpirun", "/j3");
    sample.store.put(third, journal::JobInfo{2, false, "mpich", "third", "4.0", "t", "", {}});
    EXPECT_EQ(sample.store.find_run("last").mpi_version, "third");
    EXPECT_EQ(sample.store.runs().size(), 1U) << "a run with several jobs is one run";
    EXPECT_THAT(sample.store.ranks(sample.run), IsEmpty());
}

TEST(Store, RemembersItsLastJob) {
    SampleStore sample({});
    const auto fresh = sample.store.create_run(row_of(""), {});
    EXPECT_FALSE(sample.store.last_job(fresh));
    auto job = sample.store.last_job(sample.run);
    ASSERT_TRUE(job);
    EXPECT_EQ(job->id, sample.job);
    EXPECT_EQ(job->journal, "/tmp/x.journal");
    EXPECT_EQ(job->state, JobState::running);
    sample.store.end_job(sample.job, "the node went away");
    EXPECT_EQ(sample.store.last_job(sample.run)->state, JobState::failed);
    sample.store.end_job(sample.job, "");
    EXPECT_EQ(sample.store.last_job(sample.run)->state, JobState::complete);
}

TEST(Store, SetsARunRunningWithEveryNewJob) {
    SampleStore sample({});
    sample.store.set_run_status(sample.run, store::RunStatus::interrupted);
    sample.store.create_job(sample.run, "mpirun", "/j2");
    EXPECT_EQ(sample.store.find_run("last").status, RunStatus::running);
}

TEST(Store, KeepsWhyARunIsNotComplete) {
    SampleStore sample({});
    sample.store.set_run_status(sample.run, store::RunStatus::failed, "the queue is closed");
    EXPECT_EQ(sample.store.find_run("last").reason, "the queue is closed");
    sample.store.create_job(sample.run, "mpirun", "/j2");
    EXPECT_EQ(sample.store.find_run("last").reason, "") << "it goes on";
}

TEST(Store, TakesTheNewestRunWithResultsAsTheLast) {
    SampleStore sample({point_spec(0, "bcast", 8)});
    const auto failed = sample.store.create_run(row_of("failed"), {point_spec(0, "bcast", 8)});
    EXPECT_EQ(sample.store.find_run("last").id, failed) << "none has results";
    sample.put(0, {}, PointStatus::failed, "wrong data");
    EXPECT_EQ(sample.store.find_run("last").id, sample.run);
    EXPECT_EQ(sample.store.find_run("last", Last::of_all).id, failed);
}

TEST(Store, DeletesARunWithAllThatIsItsOwn) {
    SampleStore sample({point_spec(0, "bcast", 8)});
    sample.store.put(sample.job, journal::RankInfo{0, "h0", 1, "", 0});
    sample.put(0, {block_of(0, 0, samples_of({1, 2, 3}))});
    sample.store.put_warning(sample.run, {Severity::note, "x", "text", "fix", {}});
    const auto kept = sample.store.create_run(row_of("kept"), {point_spec(0, "bcast", 8)});
    sample.store.delete_run(sample.run);
    ASSERT_EQ(sample.store.runs().size(), 1U);
    EXPECT_EQ(sample.store.runs()[0].id, kept);
    EXPECT_EQ(sample.store.points(kept).size(), 1U);
    auto database = Database(sample.store.path(), Database::Access::write, false);
    for (const auto* table : {"job", "rank", "sample_block", "warning"}) {
        auto rows = database.prepare(std::string("SELECT count(*) FROM ") + table);
        rows.step();
        EXPECT_EQ(rows.integer(0), 0) << table;
    }
}

TEST(Store, GivesTheNumberOfADeletedRunToNoOther) {
    SampleStore sample({});
    const auto newest = sample.store.create_run(row_of(""), {});
    sample.store.delete_run(newest);
    EXPECT_EQ(sample.store.create_run(row_of(""), {}), newest + 1);
}

TEST(Store, ChangesTheLabelOfARun) {
    SampleStore sample({});
    sample.store.set_label(sample.run, "baseline");
    EXPECT_EQ(sample.store.find_run("baseline").id, sample.run);
    EXPECT_THROW(static_cast<void>(sample.store.find_run("sample")), BadInput);
}

TEST(Store, RefusesDamagedSamples) {
    SampleStore sample({point_spec(0, "bcast", 8)});
    auto block = block_of(0, 0, samples_of({1, 2, 3}));
    block.data[block.data.size() / 2] = static_cast<char>(block.data[block.data.size() / 2] ^ 1);
    sample.put(0, {block});
    EXPECT_THROW(all_samples(sample.store, sample.store.points(sample.run).front().id), Error);
}

TEST(Store, GivesBackComparisonsOfClocks) {
    testing::SampleStore sample({testing::point_spec(0, "bcast", 8)});
    const std::vector<journal::ClockSync> syncs{
        testing::sync_of(0, 0, 1, 0, 0), testing::sync_of(0, 1, journal::latest_ns, -3'600'000'000'123, 7)};
    sample.store.put(sample.job, syncs);
    sample.store.put(sample.job, syncs);
    const auto read = sample.store.clock_syncs(sample.job);
    ASSERT_EQ(read.size(), 2U) << "told twice is stored once";
    EXPECT_EQ(read[1].rank, 1);
    EXPECT_EQ(read[1].at_ns, journal::latest_ns);
    EXPECT_EQ(read[1].offset_ns, -3'600'000'000'123);
    EXPECT_EQ(read[1].low_ns, -3'600'000'000'130);
    EXPECT_EQ(read[1].high_ns, -3'600'000'000'116);
    EXPECT_EQ(read[1].round_trip_ns, 14);
    EXPECT_EQ(read[1].pings, 101);
    EXPECT_FALSE(read[1].shared);
    EXPECT_EQ(read[1].cost_ns, 5000);
    EXPECT_EQ(read[1].scheme, "tree");
    EXPECT_TRUE(sample.store.clock_syncs(sample.job + 1).empty());
}

TEST(Store, GivesBackTestsOfTheClock) {
    testing::SampleStore sample({testing::point_spec(0, "bcast", 8)});
    const std::vector<journal::ClockEvent> events{{.after_ns = 5,
                                                   .event = 1,
                                                   .rank = 2,
                                                   .planned_ns = 3,
                                                   .acted_ns = 4,
                                                   .global_ns = 6,
                                                   .claimed_ns = 7,
                                                   .sync = 8}};
    sample.store.put(sample.job, events);
    const auto read = sample.store.clock_events(sample.job);
    ASSERT_EQ(read.size(), 1U);
    EXPECT_EQ(read[0].after_ns, 5);
    EXPECT_EQ(read[0].rank, 2);
    EXPECT_EQ(read[0].acted_ns, 4);
    EXPECT_EQ(read[0].global_ns, 6);
    EXPECT_EQ(read[0].claimed_ns, 7);
    EXPECT_EQ(read[0].sync, 8);
}

TEST(Store, TakesPointsThatWereFoundOnTheWay) {
    SampleStore sample({point_spec(0, "bcast", 8), point_spec(1, "bcast", 64)});
    auto found = point_spec(2, "bcast", 24);
    found.purpose = plan::purpose_refine;
    found.key.scheme = "as-imb";
    sample.store.add_points(sample.run, 3, std::span(&found, 1));
    const auto points = sample.store.points(sample.run);
    ASSERT_EQ(points.size(), 3U);
    EXPECT_EQ(points[0].launch, 0);
    EXPECT_EQ(points[0].purpose, "");
    EXPECT_EQ(points[2].position, 2);
    EXPECT_EQ(points[2].key.size, Bytes{24});
    EXPECT_EQ(points[2].status, journal::PointStatus::pending);
    EXPECT_EQ(points[2].launch, 3);
    EXPECT_EQ(points[2].purpose, "refine");
    EXPECT_EQ(points[2].key.scheme, "as-imb");
}

TEST(Store, LeavesPointsAloneThatAreAddedAgain) {
    SampleStore sample({point_spec(0, "bcast", 8)});
    sample.put(0, {block_of(0, 0, samples_of({5, 6}))});
    const std::vector<plan::PointSpec> more{point_spec(0, "bcast", 8), point_spec(1, "bcast", 16)};
    sample.store.add_points(sample.run, 0, more);
    sample.store.add_points(sample.run, 0, more);
    const auto points = sample.store.points(sample.run);
    ASSERT_EQ(points.size(), 2U);
    EXPECT_EQ(points[0].status, journal::PointStatus::ok);
    EXPECT_EQ(all_samples(sample.store, points[0].id).size(), 2U);
    EXPECT_EQ(points[1].status, journal::PointStatus::pending);
}

TEST(Store, GivesOnePointByItsPosition) {
    SampleStore sample({point_spec(0, "bcast", 8), point_spec(1, "barrier", 0)});
    EXPECT_EQ(sample.store.point(sample.run, 1).key.operation, "barrier");
    EXPECT_EQ(sample.store.point(sample.run, 1).id, sample.store.points(sample.run)[1].id);
    EXPECT_EQ(refusal_of([&] { return sample.store.point(sample.run, 2); }), "run 1 has no point 2.");
    EXPECT_THROW((void)sample.store.point(sample.run + 1, 0), BadInput) << "a point of another run";
}

TEST(Store, KeepsHowAPointWasMeasured) {
    SampleStore sample({point_spec(0, "bcast", 8), point_spec(1, "bcast", 16)});
    sample.store.put_point(sample.run, sample.job,
                           {.index = 0,
                            .status = journal::PointStatus::ok,
                            .reason = "",
                            .datatype = "byte",
                            .start = "mpi-barrier",
                            .warmup_calls = 21,
                            .calls = 100,
                            .cache = "cold",
                            .remark = "stopped at the limit"},
                           source_of({}));
    const auto point = sample.store.point(sample.run, 0);
    EXPECT_EQ(point.job, sample.job);
    EXPECT_EQ(point.start, "mpi-barrier");
    EXPECT_EQ(point.warmup_calls, 21);
    EXPECT_EQ(point.calls, 100);
    EXPECT_EQ(point.cache, "cold");
    EXPECT_EQ(point.remark, "stopped at the limit");
    EXPECT_EQ(sample.store.point(sample.run, 1).calls, 1);
}

TEST(Store, KeepsWhatEmptyRepetitionsTook) {
    SampleStore sample({});
    sample.store.put(sample.job, journal::RankInfo{0, "h0", 10, "0", 38});
    sample.store.put(sample.job, journal::RankInfo{1, "h0", 11, "1", 41});
    const auto other = sample.store.create_job(sample.run, "mpirun", "/j2");
    sample.store.put(other, journal::RankInfo{0, "h0", 12, "0", 25});
    EXPECT_THAT(sample.store.empty_times(sample.job),
                ElementsAre(Pair(0, Nanoseconds{38}), Pair(1, Nanoseconds{41})));
    EXPECT_THAT(sample.store.empty_times(other), ElementsAre(Pair(0, Nanoseconds{25})));
    EXPECT_THAT(sample.store.empty_times(other + 1), IsEmpty());
}

TEST(Store, KeepsOneMomentOnBothClocks) {
    SampleStore sample({});
    EXPECT_FALSE(sample.store.moment(sample.job)) << "as long as the job said nothing";
    journal::JobInfo info{2, false, "mpich", "v", "4.0", "t", "", {}};
    sample.store.put(sample.job, info);
    EXPECT_FALSE(sample.store.moment(sample.job)) << "where it does not know";
    info.clock_ns = -5;
    info.utc_ns = 1'763'200'000'123'456'789;
    sample.store.put(sample.job, info);
    const auto moment = sample.store.moment(sample.job);
    ASSERT_TRUE(moment);
    EXPECT_EQ(moment->clock, Nanoseconds{-5});
    EXPECT_EQ(moment->utc, Nanoseconds{1'763'200'000'123'456'789});
}

/// A rank, and when it waited.
std::vector<std::tuple<int, std::int64_t, std::int64_t, std::int64_t>> stretches(const Store& store,
                                                                                 std::int64_t point) {
    std::vector<std::tuple<int, std::int64_t, std::int64_t, std::int64_t>> found;
    for (const auto& stretch : store.disturbances(point)) {
        found.emplace_back(stretch.rank, stretch.begin_ns, stretch.end_ns, stretch.waited_ns);
    }
    return found;
}

TEST(Store, KeepsDisturbancesInTheOrderOfRankAndTime) {
    SampleStore sample({point_spec(0, "bcast", 8), point_spec(1, "bcast", 16)});
    const std::vector<journal::Disturbance> disturbances{
        {0, 1, 500, 600, 70}, {0, 0, 300, 400, 50}, {0, 1, 100, 200, 30}};
    const journal::PointEnd end{.index = 0, .status = journal::PointStatus::ok};
    sample.store.put_point(sample.run, sample.job, end, source_of({}), {.disturbances = disturbances});
    const auto point = sample.store.point(sample.run, 0).id;
    EXPECT_THAT(
        stretches(sample.store, point),
        ElementsAre(std::tuple(0, 300, 400, 50), std::tuple(1, 100, 200, 30), std::tuple(1, 500, 600, 70)));
    EXPECT_THAT(stretches(sample.store, sample.store.point(sample.run, 1).id), IsEmpty());
}

TEST(Store, ReplacesTheDisturbancesOfAPointMeasuredAgain) {
    SampleStore sample({point_spec(0, "bcast", 8)});
    const std::vector<journal::Disturbance> first{{0, 1, 500, 600, 70}, {0, 0, 300, 400, 50}};
    const std::vector<journal::Disturbance> second{{0, 1, 900, 990, 9}};
    const journal::PointEnd end{.index = 0, .status = journal::PointStatus::ok};
    sample.store.put_point(sample.run, sample.job, end, source_of({}), {.disturbances = first});
    sample.store.put_point(sample.run, sample.job, end, source_of({}), {.disturbances = second});
    EXPECT_THAT(stretches(sample.store, sample.store.point(sample.run, 0).id),
                ElementsAre(std::tuple(1, 900, 990, 9)));
}

TEST(Store, KeepsWhatTheOperatingSystemCountedOfAPointMeasuredLast) {
    SampleStore sample({point_spec(0, "bcast", 8), point_spec(1, "bcast", 16)});
    const auto block = [](int rank, int number, std::string data) {
        return journal::EvidenceBlock{.point = 0,
                                      .rank = rank,
                                      .block = number,
                                      .count = 3,
                                      .readings = 100,
                                      .spent_ns = 5'000,
                                      .measured_ns = 7'000'000,
                                      .network = rank == 0,
                                      .rto_ns = 204'000'000,
                                      .rto_min_ns = 200'000'000,
                                      .data = std::move(data)};
    };
    const auto data = [](std::int64_t begin) {
        const journal::CountedStretch stretch{
            .begin = {begin}, .end = {begin + 1}, .counts = {.preempted = 1}};
        return journal::pack_evidence(std::vector(3, stretch));
    };
    const std::vector<journal::EvidenceBlock> first{block(1, 2, data(0))};
    const std::vector<journal::EvidenceBlock> second{block(1, 1, data(3)), block(0, 0, data(1)),
                                                     block(1, 0, data(2))};
    const journal::PointEnd end{.index = 0, .status = journal::PointStatus::ok};
    sample.store.put_point(sample.run, sample.job, end, source_of({}), {.evidence = first});
    sample.store.put_point(sample.run, sample.job, end, source_of({}), {.evidence = second});
    std::vector<std::tuple<int, int, std::int64_t>> found;
    sample.store.visit_evidence(sample.store.point(sample.run, 0).id,
                                [&](const auto& read, const auto& stretches) {
                                    EXPECT_EQ(stretches.size(), 3U);
                                    found.emplace_back(read.rank, read.block, stretches.front().begin.count);
                                    EXPECT_EQ(read.network, read.rank == 0);
                                    EXPECT_EQ(std::tuple(read.count, read.readings, read.spent_ns,
                                                         read.measured_ns, read.rto_ns, read.rto_min_ns),
                                              std::tuple(3, 100, 5'000, 7'000'000, 204'000'000, 200'000'000));
                                });
    EXPECT_THAT(found, ElementsAre(std::tuple(0, 0, 1), std::tuple(1, 0, 2), std::tuple(1, 1, 3)));
    sample.store.visit_evidence(sample.store.point(sample.run, 1).id,
                                [](const auto&, const auto&) { ADD_FAILURE() << "of another point"; });
}

journal::EventBlock block_of_events(int rank, int number, std::int64_t first_call, std::int64_t dropped = 0) {
    const std::vector<journal::CallEvent> events{
        {.call = first_call, .collector = 2 * rank, .down_ns = 100, .up_ns = 900},
        {.call = first_call + 1, .collector = 2 * rank, .down_ns = 1'100}};
    return {.point = 0,
            .rank = rank,
            .block = number,
            .every = 2,
            .first_call = first_call,
            .count = 2,
            .dropped = dropped,
            .data = journal::pack_events(events)};
}

/// Yields them one by one.
auto events_of(std::vector<journal::EventBlock> blocks) {
    return [blocks = std::move(blocks), at = std::size_t{0}]() mutable {
        return at < blocks.size() ? std::optional(blocks[at++]) : std::nullopt;
    };
}

TEST(Store, KeepsTheTraceOfAPointMeasuredLast) {
    SampleStore sample({point_spec(0, "allreduce", 8), point_spec(1, "allreduce", 16)});
    const auto put = [&](std::int64_t announced, std::vector<journal::EventBlock> blocks) {
        sample.store.put_point(sample.run, sample.job,
                               {.index = 0, .status = journal::PointStatus::ok, .samples = announced},
                               source_of({}), {.next_events = events_of(std::move(blocks))});
    };
    put(2, {block_of_events(0, 5, 40)});
    put(6, {block_of_events(1, 0, 0, 7), block_of_events(0, 1, 2), block_of_events(0, 0, 0, 3)});
    std::vector<std::tuple<int, std::int64_t, int>> found;
    const auto point = sample.store.point(sample.run, 0).id;
    sample.store.visit_events(point, [&](int rank, const std::vector<journal::CallEvent>& events) {
        ASSERT_EQ(events.size(), 2U);
        found.emplace_back(rank, events.front().call, events.front().collector);
        EXPECT_EQ(events.front().up_ns, 900);
        EXPECT_EQ(events.back().up_ns, journal::CallEvent::never);
    });
    EXPECT_THAT(found, ElementsAre(std::tuple(0, 0, 0), std::tuple(0, 2, 0), std::tuple(1, 0, 2)));
    const auto trace = sample.store.trace(point);
    ASSERT_TRUE(trace);
    EXPECT_EQ(trace->every, 2);
    EXPECT_EQ(trace->events, 6);
    EXPECT_EQ(trace->dropped, 10);
    EXPECT_GT(trace->stored_bytes, 0);
    EXPECT_FALSE(sample.store.trace(sample.store.point(sample.run, 1).id)) << "of another point";
}

TEST(Store, TakesNothingOfAPointWhoseTraceIsNotWhole) {
    SampleStore sample({point_spec(0, "allreduce", 8)});
    EXPECT_THROW(sample.store.put_point(
                     sample.run, sample.job, {.index = 0, .status = journal::PointStatus::ok, .samples = 4},
                     source_of({}), {.next_events = events_of({block_of_events(0, 0, 0)})}),
                 PointNotWhole);
    const auto point = sample.store.point(sample.run, 0);
    EXPECT_EQ(point.status, PointStatus::pending);
    EXPECT_FALSE(sample.store.trace(point.id));
}

TEST(Store, NamesABlockOfATraceThatIsDamaged) {
    SampleStore sample({point_spec(0, "allreduce", 8)});
    auto block = block_of_events(0, 0, 0);
    block.data[block.data.size() / 2] = static_cast<char>(block.data[block.data.size() / 2] ^ 1);
    sample.store.put_point(sample.run, sample.job,
                           {.index = 0, .status = journal::PointStatus::ok, .samples = 2}, source_of({}),
                           {.next_events = events_of({block})});
    const auto point = sample.store.point(sample.run, 0).id;
    EXPECT_THAT(testing::refusal_of([&] { sample.store.visit_events(point, [](int, const auto&) {}); }),
                HasSubstr("event_block"));
}

TEST(Store, KeepsWhatAPointsRanksCounted) {
    SampleStore sample({point_spec(0, "master.send", 8, 3), point_spec(1, "bcast", 16)});
    const std::vector<journal::RankTally> tallies{
        {.point = 0, .rank = 2, .counts = {{"pieces", 7}}},
        {.point = 0, .rank = 0, .counts = {{"total_ns", 1e12}, {"busy_ns", 0.25}}}};
    const journal::PointEnd end{.index = 0, .status = journal::PointStatus::ok};
    sample.store.put_point(sample.run, sample.job, end, source_of({}), {.tallies = tallies});
    EXPECT_THAT(sample.store.tallies(sample.store.point(sample.run, 0).id),
                ElementsAre(Pair(0, ElementsAre(Pair("busy_ns", 0.25), Pair("total_ns", 1e12))),
                            Pair(2, ElementsAre(Pair("pieces", 7)))));
    EXPECT_THAT(sample.store.tallies(sample.store.point(sample.run, 1).id), IsEmpty());
}

TEST(Store, ReplacesTheCountsOfAPointMeasuredAgain) {
    SampleStore sample({point_spec(0, "master.send", 8, 3)});
    const std::vector<journal::RankTally> first{{.point = 0, .rank = 0, .counts = {{"total_ns", 5}}},
                                                {.point = 0, .rank = 1, .counts = {{"pieces", 7}}}};
    const std::vector<journal::RankTally> second{{.point = 0, .rank = 1, .counts = {{"pieces", 9}}}};
    const journal::PointEnd end{.index = 0, .status = journal::PointStatus::ok};
    sample.store.put_point(sample.run, sample.job, end, source_of({}), {.tallies = first});
    sample.store.put_point(sample.run, sample.job, end, source_of({}), {.tallies = second});
    EXPECT_THAT(sample.store.tallies(sample.store.point(sample.run, 0).id),
                ElementsAre(Pair(1, ElementsAre(Pair("pieces", 9)))));
}

}  // namespace
}  // namespace fathom::store
