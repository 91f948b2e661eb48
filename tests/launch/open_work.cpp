#include "launch/open_work.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/sample_store.hpp"

namespace fathom::launch {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

store::PointRow row_at(int position, store::PointStatus status, int trial = 0,
                       const std::string& progress = "") {
    store::PointRow row;
    row.position = position;
    row.key.operation = "bcast";
    row.status = status;
    row.launch = trial;
    row.key.progress = progress;
    return row;
}

std::vector<int> positions_of(const std::vector<plan::PointSpec>& points) {
    std::vector<int> positions;
    for (const auto& point : points) {
        positions.push_back(point.index);
    }
    return positions;
}

plan::Plan in_planned_order() {
    plan::Plan plan;
    plan.order = plan::Order::planned;
    return plan;
}

TEST(OpenPoints, ArePendingOnesFirstAndThenThoseThatDied) {
    const std::vector<store::PointRow> rows{
        row_at(0, store::PointStatus::died),       row_at(1, store::PointStatus::pending),
        row_at(2, store::PointStatus::ok),         row_at(3, store::PointStatus::failed),
        row_at(4, store::PointStatus::died),       row_at(5, store::PointStatus::pending),
        row_at(6, store::PointStatus::unavailable)};
    EXPECT_THAT(positions_of(open_points(rows, in_planned_order(), {})), ElementsAre(1, 5, 0, 4));
    EXPECT_THAT(open_points({}, in_planned_order(), {}), IsEmpty());
}

TEST(OpenPoints, KeepThoseThatDiedLastInARandomOrderToo) {
    plan::Plan plan;
    plan.order = plan::Order::random;
    std::vector<store::PointRow> rows{row_at(0, store::PointStatus::died)};
    for (int i = 1; i < 20; ++i) {
        rows.push_back(row_at(i, store::PointStatus::pending));
    }
    for (plan.seed = 1; plan.seed < 20; ++plan.seed) {
        const auto order = positions_of(open_points(rows, plan, {}));
        ASSERT_EQ(order.size(), 20U);
        EXPECT_EQ(order.back(), 0);
        EXPECT_FALSE(std::is_sorted(order.begin(), order.end() - 1)) << plan.seed;
    }
}

TEST(OpenPoints, AreThoseOfAPartAlone) {
    const std::vector<store::PointRow> rows{
        row_at(0, store::PointStatus::pending), row_at(1, store::PointStatus::pending, 0, "thread"),
        row_at(2, store::PointStatus::pending, 1), row_at(3, store::PointStatus::died, 1, "thread")};
    const auto of_part = [&](int trial, const std::string& progress) {
        return positions_of(open_points(rows, in_planned_order(), {.launch = trial, .progress = progress}));
    };
    EXPECT_THAT(of_part(0, ""), ElementsAre(0));
    EXPECT_THAT(of_part(0, "thread"), ElementsAre(1));
    EXPECT_THAT(of_part(1, ""), ElementsAre(2));
    EXPECT_THAT(of_part(1, "thread"), ElementsAre(3));
    EXPECT_THAT(of_part(2, ""), IsEmpty());
}

TEST(PartsOfAStart, AreInTheOrderOfTheirFirstPoints) {
    const std::vector<store::PointRow> rows{
        row_at(0, store::PointStatus::ok, 0, "thread"), row_at(1, store::PointStatus::ok),
        row_at(2, store::PointStatus::pending, 0, "thread"), row_at(3, store::PointStatus::pending, 1)};
    const Part thread{.launch = 0, .progress = "thread"};
    const Part library{.launch = 0, .progress = ""};
    EXPECT_THAT(parts_of(rows, 0), ElementsAre(thread, library));
    EXPECT_THAT(parts_of(rows, 1), ElementsAre(Part{.launch = 1, .progress = ""}));
    EXPECT_THAT(parts_of(rows, 2), IsEmpty());
}

TEST(SpecOf, HasAllThatMakesAPoint) {
    auto row = row_at(7, store::PointStatus::pending, 3, "thread");
    row.key.pattern = "all";
    row.key.procs = 4;
    row.key.size = {64};
    row.key.scheme = "as-imb";
    row.purpose = "refine";
    const auto spec = spec_of(row);
    EXPECT_EQ(spec.index, 7);
    EXPECT_EQ(spec.key.operation, "bcast");
    EXPECT_EQ(spec.key.pattern, "all");
    EXPECT_EQ(spec.key.procs, 4);
    EXPECT_EQ(spec.key.size.count, 64);
    EXPECT_EQ(spec.key.scheme, "as-imb");
    EXPECT_EQ(spec.purpose, "refine");
    EXPECT_EQ(spec.key.progress, "thread");
}

TEST(Complete, IsARunOfWhichEveryPointOfEveryStartHasEnded) {
    testing::SampleStore sample({testing::point_spec(0, "bcast", 8), testing::point_spec(1, "bcast", 16)});
    auto plan = in_planned_order();
    const auto whole = [&] { return complete(sample.store, sample.run, plan); };
    EXPECT_FALSE(whole());
    sample.put(0, {}, store::PointStatus::ok);
    sample.put(1, {}, store::PointStatus::unavailable, "it is not there");
    EXPECT_TRUE(whole());
    sample.store.mark_point(sample.run, 1, journal::PointStatus::died, "why", true);
    EXPECT_FALSE(whole());
    sample.store.mark_point(sample.run, 1, journal::PointStatus::failed, "why", true);
    EXPECT_TRUE(whole()) << "for good";
    plan.runs = 2;
    EXPECT_FALSE(whole()) << "the second start is missing";
    sample.store.add_points(sample.run, 1, std::vector{testing::point_spec(2, "bcast", 8)});
    EXPECT_FALSE(whole());
    sample.put(2, {}, store::PointStatus::ok);
    EXPECT_TRUE(whole());
}

TEST(Complete, IsNoRunWithoutPoints) {
    const testing::SampleStore sample({});
    EXPECT_FALSE(complete(sample.store, sample.run, in_planned_order()));
}

}  // namespace
}  // namespace fathom::launch
