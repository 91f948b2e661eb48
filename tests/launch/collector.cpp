#include "launch/collector.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
    [[nodiscard]] std::vector<std::string> statuses() const {
        std::vector<std::string> found;
        for (const auto& point : sample.store.points(sample.run)) {
            found.push_back(point.status);
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
    write_journal(path,
                  joined({opening(),
                          {journal::PointBegin{0}, journal::PointEnd{0, "unavailable", "too large", ""},
                           journal::PointBegin{1}, journal::PointEnd{1, "failed", "wrong data", "float"}}}));
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
    collector({.environment_known =
                   [&] {
                       EXPECT_EQ(sample.store.ranks(sample.run).size(), 2U);
                       events.emplace_back("environment");
                   },
               .point_begun = [&](int position) { events.push_back("begin " + std::to_string(position)); },
               .point_ended =
                   [&](const journal::PointEnd& end) {
                       EXPECT_EQ(
                           sample.store.points(sample.run).at(static_cast<std::size_t>(end.index)).status,
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

}  // namespace
}  // namespace fathom::launch
