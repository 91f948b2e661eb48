#include "launch/collector.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/file.hpp"
#include "launch/sample_journal.hpp"
#include "store/sample_clock.hpp"

namespace fathom::launch {
namespace {

using ::testing::ElementsAre;
using testing::joined;
using testing::measured;
using testing::opening;
using testing::point_spec;
using testing::SampleStore;
using testing::without_last;
using testing::write_journal;

class Collecting : public ::testing::Test {
  protected:
    [[nodiscard]] Collector collector(CollectorEvents events = {}, int trial = 0) {
        return {sample.store, sample.run, trial, sample.job, path, std::move(events)};
    }
    [[nodiscard]] std::size_t samples_of_point(std::size_t position) const {
        std::size_t count = 0;
        sample.store.visit_samples(sample.store.points(sample.run).at(position).id,
                                   [&](int, std::int64_t, const auto& samples) { count += samples.size(); });
        return count;
    }
    /// Durations of one rank in their order.
    [[nodiscard]] std::vector<std::int64_t> times_of(int position, int of_rank) const {
        std::vector<std::int64_t> times;
        sample.store.visit_samples(sample.store.point(sample.run, position).id,
                                   [&](int rank, std::int64_t first_rep, const auto& samples) {
                                       if (rank != of_rank) {
                                           return;
                                       }
                                       EXPECT_EQ(first_rep, static_cast<std::int64_t>(times.size()));
                                       for (const auto& one : samples) {
                                           times.push_back(one.duration.count);
                                       }
                                   });
        return times;
    }
    [[nodiscard]] std::vector<std::string> statuses() const {
        std::vector<std::string> found;
        for (const auto& point : sample.store.points(sample.run)) {
            found.emplace_back(to_text(point.status));
        }
        return found;
    }

    SampleStore sample{{point_spec(0, "bcast", 8), point_spec(1, "bcast", 16), point_spec(2, "bcast", 32)}};
    std::filesystem::path path = sample.folder / "run.journal";
};

TEST_F(Collecting, CarriesAWholeJournalIntoTheStore) {
    write_journal(path, joined({opening(), measured(0), measured(1), measured(2), {journal::JobEnd{}}}));
    auto collecting = collector();
    EXPECT_TRUE(collecting.advance());
    EXPECT_TRUE(collecting.complete());
    EXPECT_FALSE(collecting.open_point());
    EXPECT_THAT(statuses(), ElementsAre("ok", "ok", "ok"));
    EXPECT_EQ(samples_of_point(0), 12U);
    EXPECT_EQ(samples_of_point(2), 12U);
    EXPECT_EQ(sample.store.ranks(sample.run).size(), 2U);
    EXPECT_EQ(sample.store.find_run("last").mpi_version, "Open MPI v4");
    EXPECT_EQ(sample.store.environment(sample.run).at("h0").at("cores"), "2");
    EXPECT_FALSE(collecting.advance()) << "there is nothing more";
}

/// The events of one call on a rank, as a probe delivers them.
journal::EventBlock traced_call(int point, int rank) {
    const std::vector<journal::CallEvent> events{
        {.call = 0, .collector = 2 * rank, .down_ns = 1'000, .up_ns = 2'000},
        {.call = 0, .collector = 2 * rank + 1, .down_ns = 1'200, .up_ns = 1'800}};
    return {.point = point,
            .rank = rank,
            .block = 0,
            .every = 1,
            .first_call = 0,
            .count = 2,
            .dropped = 3,
            .data = journal::pack_events(events)};
}

TEST_F(Collecting, CarriesATraceIntoTheStore) {
    auto records = measured(0);
    auto end = std::get<journal::PointEnd>(records.back());
    records.pop_back();
    for (const int rank : {0, 1}) {
        records.emplace_back(traced_call(0, rank));
        end.samples += 2;
    }
    records.emplace_back(end);
    write_journal(path, joined({opening(), records, measured(1)}));
    collector().advance();
    EXPECT_THAT(statuses(), ElementsAre("ok", "ok", "pending"));
    std::vector<int> ranks;
    sample.store.visit_events(sample.store.point(sample.run, 0).id, [&](int rank, const auto& events) {
        ranks.push_back(rank);
        EXPECT_EQ(events.size(), 2U);
    });
    EXPECT_THAT(ranks, ElementsAre(0, 1));
    EXPECT_EQ(sample.store.trace(sample.store.point(sample.run, 0).id)->dropped, 6);
    EXPECT_FALSE(sample.store.trace(sample.store.point(sample.run, 1).id));
}

TEST_F(Collecting, WaitsForAJournalThatIsNotThereYet) {
    auto collecting = collector();
    EXPECT_FALSE(collecting.advance());
    EXPECT_FALSE(collecting.complete());
    write_journal(path, opening());
    EXPECT_TRUE(collecting.advance());
}

TEST_F(Collecting, StoresNothingOfAPointThatDidNotEnd) {
    write_journal(path, joined({opening(), measured(0), without_last(measured(1), 1)}));
    auto collecting = collector();
    collecting.advance();
    EXPECT_EQ(collecting.open_point(), 1);
    EXPECT_FALSE(collecting.complete());
    EXPECT_THAT(statuses(), ElementsAre("ok", "pending", "pending"));
    EXPECT_EQ(samples_of_point(1), 0U);
}

TEST_F(Collecting, TakesAJournalThatGrowsRecordByRecord) {
    auto collecting = collector();
    journal::Writer writer(path);
    for (const auto& record : joined({opening(), measured(0), measured(1), {journal::JobEnd{}}})) {
        writer.write(record);
        EXPECT_TRUE(collecting.advance());
    }
    EXPECT_TRUE(collecting.complete());
    EXPECT_THAT(statuses(), ElementsAre("ok", "ok", "pending"));
    EXPECT_EQ(samples_of_point(1), 12U);
}

/// A journal that its probe continues to write while something happens to the file.
class CollectingWhile : public Collecting {
  protected:
    void write(const std::vector<journal::Record>& records) {
        for (const auto& record : records) {
            writer.write(record);
        }
    }
    /// All of a point but its end, of which samples are stored when that comes.
    void write_point_without_end() {
        write(joined({opening(), without_last(measured(0), 1)}));
        collecting.advance();
    }
    void write_end() { write({measured(0).back()}); }

    journal::Writer writer{path};
    Collector collecting = collector();
};

TEST_F(CollectingWhile, TheJournalIsRemovedLosesNothing) {
    write_point_without_end();
    std::filesystem::remove(path);
    write_end();
    write(joined({measured(1), measured(2), {journal::JobEnd{}}}));
    collecting.advance();
    EXPECT_TRUE(collecting.complete());
    EXPECT_THAT(statuses(), ElementsAre("ok", "ok", "ok"));
    EXPECT_EQ(samples_of_point(0), 12U);
    EXPECT_EQ(samples_of_point(2), 12U);
}

TEST_F(CollectingWhile, AnotherFileTakesTheNameOfTheJournalLosesNothing) {
    write_point_without_end();
    std::filesystem::rename(path, sample.folder / "moved");
    write_file(path, "something else");
    write_end();
    collecting.advance();
    EXPECT_EQ(statuses().front(), "ok");
    EXPECT_EQ(samples_of_point(0), 12U);
}

TEST_F(CollectingWhile, SamplesGetLostStoresNothingOfTheirPoint) {
    write_point_without_end();
    {
        std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(-4, std::ios::end);
        file << "lost";
    }
    write_end();
    EXPECT_THROW(collecting.advance(), NotMeasured);
    EXPECT_EQ(statuses().front(), "pending");
    EXPECT_EQ(samples_of_point(0), 0U);
}

TEST_F(Collecting, MayBeginAgainWithTheSameJournal) {
    write_journal(path, joined({opening(), measured(0), without_last(measured(1), 2)}));
    collector().advance();
    auto again = collector();
    EXPECT_TRUE(again.advance());
    EXPECT_EQ(again.open_point(), 1);
    EXPECT_THAT(statuses(), ElementsAre("ok", "pending", "pending"));
    EXPECT_EQ(samples_of_point(0), 12U);
    EXPECT_EQ(samples_of_point(1), 0U);
    EXPECT_EQ(sample.store.ranks(sample.run).size(), 2U);
}

TEST_F(Collecting, TakesTheRestOfAPointLeftOpenByAJournalBefore) {
    write_journal(path, joined({opening(), without_last(measured(1), 2)}));
    collector().advance();
    write_journal(path, joined({opening(), measured(1), {journal::JobEnd{}}}));
    collector().advance();
    EXPECT_THAT(statuses(), ElementsAre("pending", "ok", "pending"));
    EXPECT_EQ(samples_of_point(1), 12U);
}

TEST_F(Collecting, KeepsTheReasonOfAPointThatCouldNotBeMeasured) {
    write_journal(
        path,
        joined({opening(),
                {journal::PointBegin{0}, journal::PointEnd{0, journal::PointStatus::unavailable, "too large"},
                 journal::PointBegin{1},
                 journal::PointEnd{1, journal::PointStatus::failed, "wrong data", "float"}}}));
    collector().advance();
    const auto points = sample.store.points(sample.run);
    EXPECT_THAT(statuses(), ElementsAre("unavailable", "failed", "pending"));
    EXPECT_EQ(points[0].reason, "too large");
    EXPECT_EQ(points[1].reason, "wrong data");
    EXPECT_EQ(samples_of_point(0), 0U);
}

TEST_F(Collecting, TellsEventsInOrder) {
    std::vector<std::string> events;
    write_journal(path, joined({opening(), measured(0), measured(1)}));
    collector(
        {.environment_known =
             [&] {
                 EXPECT_EQ(sample.store.ranks(sample.run).size(), 2U);
                 events.emplace_back("environment");
             },
         .point_begun = [&](int position) { events.push_back("begin " + std::to_string(position)); },
         .point_ended =
             [&](const journal::PointEnd& end) {
                 EXPECT_EQ(
                     to_text(sample.store.points(sample.run).at(static_cast<std::size_t>(end.index)).status),
                     "ok");
                 events.push_back("end " + std::to_string(end.index));
             }})
        .advance();
    EXPECT_THAT(events, ElementsAre("environment", "begin 0", "end 0", "begin 1", "end 1"));
}

TEST_F(Collecting, RefusesAJournalOfAnotherRun) {
    write_journal(path, joined({opening(), measured(7)}));
    auto collecting = collector();
    EXPECT_THROW(collecting.advance(), BadInput);
}

TEST_F(Collecting, TakesComparisonsOfClocksWhereverTheyStand) {
    auto point = measured(0);
    // Clocks were compared again between two batches.
    point.insert(point.begin() + 3, journal::Record(testing::sync_of(1, 1, 50, 7, 2)));
    write_journal(path, joined({opening(),
                                {testing::sync_of(0, 0, 0, 0, 0), testing::sync_of(0, 1, 10, 5, 2)},
                                point,
                                {journal::ClockEvent{.after_ns = 1, .event = 2, .rank = 1, .sync = 3}},
                                {journal::JobEnd{}}}));
    collector().advance();
    EXPECT_EQ(samples_of_point(0), 12U) << "no sample is lost to it";
    const auto syncs = sample.store.clock_syncs(sample.job);
    ASSERT_EQ(syncs.size(), 3U);
    EXPECT_EQ(syncs[2].offset_ns, 7);
    EXPECT_EQ(sample.store.clock_events(sample.job).size(), 1U);
}

/// A visit to a point: one block per rank, then a pause or nothing.
std::vector<journal::Record> visited(int index, std::int64_t first_rep,
                                     const std::vector<std::int64_t>& times, bool paused) {
    std::vector<journal::Record> records{journal::PointBegin{index}};
    for (const int rank : {0, 1}) {
        auto block = testing::block_of(rank, first_rep, testing::samples_of(times));
        block.point = index;
        records.emplace_back(std::move(block));
    }
    if (paused) {
        records.emplace_back(journal::PointPause{index});
    }
    return records;
}

std::vector<journal::Record> ended(int index, std::int64_t samples) {
    return {journal::PointEnd{.index = index,
                              .status = journal::PointStatus::ok,
                              .calls = 10,
                              .cache = "cold",
                              .samples = samples}};
}

/// Two interleaved points, with everything that may occur between their visits.
std::vector<journal::Record> interleaved() {
    return joined({opening(),
                   visited(0, 0, {1, 2}, true),
                   {testing::sync_of(0, 0, 0, 0, 0), testing::sync_of(0, 1, 10, 5, 2)},
                   visited(2, 0, {100}, true),
                   {journal::Disturbance{2, 1, 50, 90, 30}, journal::Disturbance{0, 0, 10, 20, 5}},
                   visited(0, 2, {3}, true),
                   {testing::sync_of(1, 0, 90, 0, 0), testing::sync_of(1, 1, 100, 6, 2)},
                   visited(2, 1, {200, 300}, false),
                   ended(2, 6),
                   visited(0, 3, {4, 5}, false),
                   ended(0, 10),
                   {journal::JobEnd{}}});
}

TEST_F(Collecting, KeepsInterleavedPointsApart) {
    write_journal(path, interleaved());
    auto collecting = collector();
    collecting.advance();
    EXPECT_TRUE(collecting.complete());
    EXPECT_THAT(statuses(), ElementsAre("ok", "pending", "ok"));
    EXPECT_THAT(times_of(0, 0), ElementsAre(1, 2, 3, 4, 5));
    EXPECT_THAT(times_of(0, 1), ElementsAre(1, 2, 3, 4, 5));
    EXPECT_THAT(times_of(2, 0), ElementsAre(100, 200, 300));
    EXPECT_THAT(times_of(2, 1), ElementsAre(100, 200, 300));
    EXPECT_EQ(sample.store.clock_syncs(sample.job).size(), 4U);
    EXPECT_EQ(sample.store.point(sample.run, 0).calls, 10);
    EXPECT_EQ(sample.store.point(sample.run, 2).cache, "cold");
}

TEST_F(Collecting, KeepsInterleavedPointsApartWhileTheJournalGrows) {
    auto collecting = collector();
    journal::Writer writer(path);
    for (const auto& record : interleaved()) {
        writer.write(record);
        EXPECT_TRUE(collecting.advance());
    }
    EXPECT_THAT(times_of(0, 1), ElementsAre(1, 2, 3, 4, 5));
    EXPECT_THAT(times_of(2, 0), ElementsAre(100, 200, 300));
}

TEST_F(Collecting, StoresAnInterleavedPointWholeAndNotBefore) {
    auto records = interleaved();
    records.resize(records.size() - 2);  // without the end of point 0
    write_journal(path, records);
    collector().advance();
    EXPECT_THAT(statuses(), ElementsAre("pending", "pending", "ok"));
    EXPECT_EQ(samples_of_point(0), 0U);
    EXPECT_EQ(samples_of_point(2), 6U);
}

TEST_F(Collecting, GivesEveryPointItsDisturbances) {
    write_journal(path, interleaved());
    collector().advance();
    const auto first = sample.store.disturbances(sample.store.point(sample.run, 0).id);
    const auto last = sample.store.disturbances(sample.store.point(sample.run, 2).id);
    ASSERT_EQ(first.size(), 1U);
    EXPECT_EQ(first[0].rank, 0);
    EXPECT_EQ(first[0].waited_ns, 5);
    ASSERT_EQ(last.size(), 1U);
    EXPECT_EQ(last[0].rank, 1);
    EXPECT_EQ(last[0].begin_ns, 50);
    EXPECT_EQ(last[0].end_ns, 90);
    EXPECT_EQ(last[0].waited_ns, 30);
}

TEST_F(Collecting, HasNoOpenPointBetweenTwoVisits) {
    auto collecting = collector();
    journal::Writer writer(path);
    const auto take = [&](const std::vector<journal::Record>& records) {
        for (const auto& record : records) {
            writer.write(record);
        }
        collecting.advance();
    };
    take(opening());
    EXPECT_FALSE(collecting.open_point());
    take(visited(1, 0, {1}, false));
    EXPECT_EQ(collecting.open_point(), 1);
    take({journal::PointPause{1}});
    EXPECT_FALSE(collecting.open_point());
    take({testing::sync_of(0, 0, 0, 0, 0)});
    EXPECT_FALSE(collecting.open_point());
    take(visited(2, 0, {1}, false));
    EXPECT_EQ(collecting.open_point(), 2);
    take(ended(2, 2));
    EXPECT_FALSE(collecting.open_point());
}

TEST_F(Collecting, CountsEveryVisitAsAStepFurther) {
    auto collecting = collector();
    journal::Writer writer(path);
    std::vector<std::uint64_t> steps;
    for (const auto& records :
         {visited(1, 0, {1}, false), {journal::PointPause{1}}, visited(1, 1, {1}, false), ended(1, 4)}) {
        for (const auto& record : records) {
            writer.write(record);
        }
        collecting.advance();
        steps.push_back(collecting.steps());
    }
    EXPECT_THAT(steps, ElementsAre(1, 2, 3, 4));
}

TEST_F(Collecting, AddsPointsThatWereFoundOnTheWay) {
    write_journal(path, joined({opening(),
                                measured(0),
                                {journal::PointAdded{{.index = 7,
                                                      .key = {.operation = "bcast",
                                                              .pattern = "all",
                                                              .procs = 2,
                                                              .size = {24},
                                                              .scheme = "as-imb"},
                                                      .purpose = "switch"}}},
                                measured(7),
                                {journal::JobEnd{}}}));
    std::vector<std::string> events;
    collector({.point_added =
                   [&](const plan::PointSpec& point) {
                       EXPECT_EQ(point.index, 7);
                       EXPECT_EQ(point.key.pattern, "all");
                       EXPECT_EQ(point.purpose, "switch");
                       EXPECT_EQ(sample.store.point(sample.run, 7).status, journal::PointStatus::pending)
                           << "it is stored";
                       events.push_back("added " + to_text(point.key));
                   },
               .point_begun = [&](int position) { events.push_back("begin " + std::to_string(position)); }},
              4)
        .advance();
    EXPECT_THAT(events, ElementsAre("begin 0", "added bcast, 24 B, 2 processes, as-imb", "begin 7"));
    const auto point = sample.store.point(sample.run, 7);
    EXPECT_EQ(point.status, journal::PointStatus::ok);
    EXPECT_EQ(point.key.size, Bytes{24});
    EXPECT_EQ(point.launch, 4) << "the start that found it";
    EXPECT_EQ(point.key.scheme, "as-imb");
    EXPECT_EQ(point.purpose, "switch");
    EXPECT_EQ(samples_of_point(3), 12U);
}

TEST_F(Collecting, AddsAPointOnceFromAJournalReadTwice) {
    write_journal(
        path,
        joined({opening(),
                {journal::PointAdded{
                    {.index = 7,
                     .key = {.operation = "bcast", .pattern = "all", .procs = 2, .size = {24}, .scheme = ""},
                     .purpose = "refine"}}},
                measured(7)}));
    collector().advance();
    collector().advance();
    EXPECT_EQ(sample.store.points(sample.run).size(), 4U);
    EXPECT_EQ(sample.store.point(sample.run, 7).status, journal::PointStatus::ok);
    EXPECT_EQ(samples_of_point(3), 12U);
}

}  // namespace
}  // namespace fathom::launch
