#include "plan/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace fathom::plan {
namespace {

Plan plan_of(std::vector<std::string> operations, std::vector<std::string> sizes) {
    Plan plan;
    plan.operations = std::move(operations);
    plan.sizes = std::move(sizes);
    return plan;
}

std::vector<std::string> texts(const std::vector<PointSpec>& points) {
    std::vector<std::string> found;
    for (const auto& point : points) {
        found.push_back(point.text());
    }
    return found;
}

TEST(Points, AreEveryOperationWithEverySize) {
    EXPECT_THAT(
        texts(points_of(plan_of({"bcast", "allreduce"}, {"8", "1k"}), 4)),
        ::testing::ElementsAre("bcast, 8 bytes, 4 processes", "bcast, 1024 bytes, 4 processes",
                               "allreduce, 8 bytes, 4 processes", "allreduce, 1024 bytes, 4 processes"));
}

TEST(Points, OfAnOperationWithoutSizeAreOne) {
    EXPECT_THAT(texts(points_of(plan_of({"barrier"}, {"8", "1k", "1M"}), 1)),
                ::testing::ElementsAre("barrier, 0 bytes, 1 process"));
    EXPECT_EQ(points_of(plan_of({"barrier"}, {}), 2).size(), 1U);
}

TEST(Points, HaveConsecutiveIndices) {
    const auto points = points_of(plan_of({"pingpong", "barrier", "bcast"}, {"1:1M"}), 2);
    ASSERT_EQ(points.size(), 21U + 1 + 21);
    for (std::size_t i = 0; i < points.size(); ++i) {
        EXPECT_EQ(points[i].index, static_cast<int>(i));
        EXPECT_EQ(points[i].procs, 2);
    }
}

TEST(Points, NameAnOperationGivenTwiceOnce) {
    EXPECT_EQ(texts(points_of(plan_of({"bcast", "barrier", "bcast", "barrier"}, {"8"}), 2)),
              texts(points_of(plan_of({"bcast", "barrier"}, {"8"}), 2)));
}

TEST(Points, CarryThePatternOfTheirOperation) {
    const auto points = points_of(plan_of({"pingpong", "bcast"}, {"8"}), 2);
    EXPECT_EQ(points[0].pattern, "first-last");
    EXPECT_EQ(points[1].pattern, "all");
}

TEST(Points, KeepSizesBeyond2GiB) {
    EXPECT_THAT(texts(points_of(plan_of({"bcast"}, {"3G"}), 2)),
                ::testing::ElementsAre("bcast, 3221225472 bytes, 2 processes"));
}

TEST(Points, OfAnUnknownOperationAreRefused) {
    EXPECT_THROW(points_of(plan_of({"nonsense"}, {"8"}), 2), BadInput);
}

}  // namespace
}  // namespace fathom::plan
