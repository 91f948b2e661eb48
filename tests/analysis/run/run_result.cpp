#include "analysis/run/run_result.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
    EXPECT_THROW(selected([](const PointKey&) { return false; }), BadInput);
}

}  // namespace
}  // namespace fathom::analysis
