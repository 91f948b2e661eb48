#include "analysis/run/run_result.hpp"

#include <optional>
#include <span>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/stored_runs.hpp"
#include "base/error.hpp"
#include "store/sample_store.hpp"

namespace fathom::analysis {
namespace {

using testing::block_of;
using ::testing::IsEmpty;
using testing::point_spec;
using testing::samples_of;
using testing::SampleStore;
using ::testing::SizeIs;

/// Two operations at two sizes, in a run that looked for switches and was to be judged.
class Selection : public ::testing::Test {
  protected:
    Selection() {
        for (int i = 0; i < 4; ++i) {
            sample.put(i, {block_of(0, 0, samples_of({10, 11, 12, 13, 14, 15})),
                           block_of(1, 0, samples_of({10, 11, 12, 13, 14, 15}))});
        }
    }
    [[nodiscard]] RunResult selected(std::function<bool(const PointKey&)> select) const {
        return evaluate(sample.store, sample.store.find_run("last"), {}, {.select = std::move(select)});
    }

    SampleStore sample{{point_spec(0, "bcast", 8), point_spec(1, "bcast", 16), point_spec(2, "reduce", 8),
                        point_spec(3, "reduce", 16)},
                       "sample",
                       "locate_switches = true\njudge = true\n"};
};

TEST_F(Selection, IsAllOfARunUnlessOneIsMade) {
    const auto all = selected({});
    EXPECT_THAT(all.points, SizeIs(4));
    EXPECT_TRUE(all.verdict);
    EXPECT_TRUE(all.switches_sought);
}

TEST_F(Selection, IsMadeBeforeAnythingIsSaidOfItsPoints) {
    const auto curve = selected([](const PointKey& key) { return key.operation == "bcast"; });
    EXPECT_THAT(curve.points, SizeIs(2));
    EXPECT_TRUE(curve.switches_sought);
    EXPECT_FALSE(curve.verdict) << "that is one on the whole run";
    for (const auto& insight : curve.insights) {
        EXPECT_NE(insight.key.operation, "reduce");
    }
}

TEST_F(Selection, OfOnePointHasNoCurve) {
    const auto point =
        selected([](const PointKey& key) { return key.operation == "bcast" && key.size.count == 8; });
    EXPECT_THAT(point.points, SizeIs(1));
    EXPECT_FALSE(point.switches_sought) << "switches lie between sizes";
    EXPECT_THAT(point.scaling.curves_looked_at, IsEmpty());
}

TEST_F(Selection, OfNothingIsRefused) {
    EXPECT_THROW((void)selected([](const PointKey&) { return false; }), BadInput);
}

/// A run of which a test spoils one of two points.
class DamagedPoint : public ::testing::Test {
  protected:
    void make(const std::string& operation, int procs = 2) {
        std::vector specs{point_spec(0, operation, 8, procs), point_spec(1, operation, 16, procs)};
        if (operation == "matrix") {
            for (auto& spec : specs) {
                spec.key.pattern = "matrix";  // of which no hosts need to be known
            }
        }
        sample.emplace(specs);
        for (const int position : {0, 1}) {
            std::vector<journal::SampleBlock> blocks;
            for (int rank = 0; rank < procs; ++rank) {
                blocks.push_back(block_of(rank, 0, samples_of({10, 11, 12, 13, 14, 15})));
            }
            sample->put(position, blocks);
        }
    }
    /// The run with all its analyses after some SQL.
    [[nodiscard]] RunResult after(const std::string& sql) const {
        store::Database(sample->folder / "fathom.db", store::Database::Access::write, false).execute(sql);
        return evaluate(sample->store, sample->store.find_run("last"), {}, {.analyses = true});
    }
    /// It has no times but the reason, and the other is as ever.
    void expect_one_damaged(const RunResult& result, const std::string& reason) const {
        ASSERT_THAT(result.points, SizeIs(2));
        for (const auto& point : result.points) {
            if (point.key.size.count == 16) {
                EXPECT_TRUE(point.time_ns);
                EXPECT_EQ(point.status, PointStatus::ok);
            } else {
                EXPECT_FALSE(point.time_ns);
                EXPECT_EQ(point.status, PointStatus::unavailable);
                EXPECT_THAT(point.reason, ::testing::HasSubstr(reason));
            }
        }
        EXPECT_THAT(sample->store.damage(), ::testing::ElementsAre(::testing::HasSubstr(reason)));
    }

    std::optional<SampleStore> sample;
};

TEST_F(DamagedPoint, IsShownWithoutTimesAndTheOthersWithThem) {
    make("bcast");
    expect_one_damaged(after("UPDATE sample_block SET first_rep = -1 WHERE point = 1"),
                       "column first_rep: -1 is not 0");
}

TEST_F(DamagedPoint, MayHaveADamagedRow) {
    make("bcast");
    expect_one_damaged(after("UPDATE point SET calls = 0 WHERE id = 1"), "column calls: 0 is not from 1");
}

TEST_F(DamagedPoint, MayBeAMatrixOfFewerProcessesThanHaveSamples) {
    make("matrix");
    const auto result = after("UPDATE point SET procs = 1 WHERE id = 1");
    expect_one_damaged(result, "samples of more ranks than the point has, 1 process");
    EXPECT_THAT(result.matrices, SizeIs(1));
}

TEST_F(DamagedPoint, DoesNotMakeALaunchOfOthersUseless) {
    make("bcast");
    const auto again = point_spec(2, "bcast", 8);
    sample->store.add_points(sample->run, 1, std::span(&again, 1));
    sample->put(2, {block_of(0, 0, samples_of({20, 21})), block_of(1, 0, samples_of({20, 21}))});
    const auto result = after("UPDATE sample_block SET first_rep = -1 WHERE point = 3");
    ASSERT_THAT(result.points, SizeIs(2));
    EXPECT_TRUE(result.points[0].time_ns);
    EXPECT_EQ(result.points[0].time_ns->count, 6U);
    ASSERT_FALSE(result.points[0].warnings.empty());
}

TEST(Reliability, DoesNotDependOnThePrecisionThatWasRequested) {
    testing::StoredRuns runs;
    std::vector<testing::StoredLaunch> launches;
    for (const std::int64_t time_ns : {9'930, 10'000, 10'070}) {
        launches.push_back({.times_ns = testing::times_around(time_ns)});
    }
    const auto quality_with = [&](const std::string& plan) {
        return evaluate(runs.store, runs.row(runs.add({launches}, plan))).points.front().quality;
    };
    EXPECT_EQ(quality_with("precision_percent = 2.0\n"), Quality::good);
    EXPECT_EQ(quality_with("precision_percent = 0.5\n"), Quality::good)
        << "asking for more takes nothing away";
}

}  // namespace
}  // namespace fathom::analysis
