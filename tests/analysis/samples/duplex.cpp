#include "analysis/samples/duplex.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/sample_store.hpp"

namespace fathom::analysis {
namespace {

using testing::block_of;
using ::testing::IsEmpty;
using testing::point_spec;
using testing::samples_of;
using testing::SampleStore;

TEST(Duplex, ComparesBothWaysAtOnceWithOneWay) {
    const auto measure = duplex_measures({90, 100, 110}, {100, 104, 120}).at(0);
    EXPECT_EQ(to_text(measure.kind), "ratio");
    EXPECT_DOUBLE_EQ(measure.value, 1.04);
    EXPECT_FALSE(measure.ci95) << "too few for an interval";
}

TEST(Duplex, IsFullPartialOrNone) {
    EXPECT_EQ(duplex_of(1.24), DuplexVerdict::full);
    EXPECT_EQ(duplex_of(1.5), DuplexVerdict::partly);
    EXPECT_EQ(duplex_of(1.97), DuplexVerdict::none);
}

TEST(Duplex, HasAnIntervalThatHoldsTheDoubtOfBothMedians) {
    const std::vector<double> constant(20, 100);
    std::vector<double> spread;
    for (int i = 0; i < 20; ++i) {
        spread.push_back(100 + 3 * i % 7);
    }
    const auto exact = duplex_measures(constant, constant).at(0).ci95.value();
    EXPECT_DOUBLE_EQ(exact.low, 1);
    EXPECT_DOUBLE_EQ(exact.high, 1);
    const auto one = duplex_measures(constant, spread).at(0);
    const auto interval = stats::summarise(spread)->median_ci95.value();
    EXPECT_DOUBLE_EQ(one.ci95->low, interval.low / 100) << "the only doubt there is";
    EXPECT_DOUBLE_EQ(one.ci95->high, interval.high / 100);
    const auto both = duplex_measures(spread, spread).at(0);
    EXPECT_DOUBLE_EQ(both.value, 1);
    EXPECT_LT(both.ci95->low, one.ci95->low / one.value);
    EXPECT_GT(both.ci95->high, one.ci95->high / one.value);
    EXPECT_GT(both.ci95->low, interval.low / interval.high) << "but both are not off the most at once";
}

TEST(Duplex, OfAPointTakesTheSlowestRankOfEveryRepetition) {
    SampleStore sample({point_spec(0, "duplex", 64, 3)});
    auto last = samples_of({1, 1, 1, 1, 1, 1});
    last[3].valid = false;
    sample.put(0, {block_of(0, 0, samples_of({200, 150, 100, 900, 300, 170})),
                   block_of(1, 0, samples_of({190, 160, 210, 100, 100, 100})), block_of(2, 0, last)});
    const auto measures = measures_of(sample.store, sample.store.point(sample.run, 0));
    ASSERT_EQ(measures.size(), 1U);
    // One way: 100, 105, 150. Both at once: 160, 170.
    EXPECT_DOUBLE_EQ(measures[0].value, 165.0 / 105);
}

TEST(Duplex, OfNothingIsNothing) {
    EXPECT_THAT(duplex_measures({}, {1}), IsEmpty());
    EXPECT_THAT(duplex_measures({1}, {}), IsEmpty());
    SampleStore sample({point_spec(0, "duplex", 64, 2), point_spec(1, "bcast", 64, 2)});
    EXPECT_THAT(measures_of(sample.store, sample.store.point(sample.run, 0)), IsEmpty());
    sample.put(1, {block_of(0, 0, samples_of({1, 2, 3}))});
    EXPECT_THAT(measures_of(sample.store, sample.store.point(sample.run, 1)), IsEmpty());
}

}  // namespace
}  // namespace fathom::analysis
