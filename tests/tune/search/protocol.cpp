#include "tune/search/protocol.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fathom::tune {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

/// Times without and with a value that are known to 1 %.
ProofPoint with_gain(std::int64_t size, double gain, const std::string& operation = "pingpong") {
    const auto around = [](double time) { return stats::Interval{0.995 * time, 1.005 * time}; };
    return {.operation = operation,
            .procs = 2,
            .size = {size},
            .ruled = true,
            .before_ns = 1000,
            .before_range_ns = around(1000),
            .after_ns = 1000 / gain,
            .after_range_ns = around(1000 / gain)};
}

std::vector<std::int64_t> sizes_of(const std::vector<ProofPoint>& points) {
    std::vector<std::int64_t> sizes;
    for (const auto& point : points) {
        sizes.push_back(point.size.count);
    }
    return sizes;
}

TEST(ProtocolTrial, IsBetterIfItIsFasterSomewhereAndSlowerNowhere) {
    EXPECT_EQ((ValueTrial{"1", {with_gain(8, 1), with_gain(64, 1.2), with_gain(512, 1.1)}}.verdict()),
              ValueVerdict::better);
    EXPECT_EQ((ValueTrial{"1", {with_gain(8, 0.9), with_gain(64, 1.2), with_gain(512, 1.1)}}.verdict()),
              ValueVerdict::mixed);
    EXPECT_EQ((ValueTrial{"1", {with_gain(8, 0.9), with_gain(64, 1)}}.verdict()), ValueVerdict::worse);
    EXPECT_EQ((ValueTrial{"1", {with_gain(8, 1.02), with_gain(64, 0.985)}}.verdict()), ValueVerdict::same);
    EXPECT_EQ((ValueTrial{"1", {}}.verdict()), ValueVerdict::worse) << "it ended the job";
}

TEST(ProtocolTrial, NeedsANeighbouringSizeOfTheSamePatternThatIsNotSlower) {
    const ValueTrial lonely{"1", {with_gain(8, 0.99), with_gain(64, 1.2), with_gain(512, 0.99)}};
    EXPECT_THAT(lonely.faster(), IsEmpty());
    const ValueTrial apart{"1", {with_gain(8, 0.99), with_gain(64, 1.2), with_gain(8, 1.2, "exchange")}};
    EXPECT_THAT(sizes_of(apart.faster()), ElementsAre(8)) << "the only size of its pattern";
    const ValueTrial both{"1", {with_gain(8, 1.01), with_gain(64, 1.2), with_gain(512, 0.9)}};
    EXPECT_THAT(sizes_of(both.faster()), ElementsAre(64));
    EXPECT_THAT(sizes_of(both.slower()), ElementsAre(512));
}

TEST(ProtocolTuning, ProposesTheBestValueOfEachParameterTheMostUsefulFirst) {
    ProtocolTuning tuning;
    tuning.parameters = {{"A", "1", {{"2", {with_gain(8, 1.1)}}, {"3", {with_gain(8, 1.2)}}}},
                         {"B", "1", {{"2", {with_gain(8, 0.5)}}}},
                         {"C", "1", {{"2", {with_gain(8, 2)}}}}};
    tuning.propose();
    EXPECT_THAT(tuning.proposed, ElementsAre(Pair("C", "2"), Pair("A", "3")));
    tuning.proof = {with_gain(64, 0.9)};
    tuning.take_out();
    EXPECT_THAT(tuning.proposed, ElementsAre(Pair("C", "2")));
    EXPECT_THAT(tuning.taken_out, ElementsAre(Pair("A", "3")));
    EXPECT_THAT(tuning.proof, IsEmpty());
}

TEST(ProtocolTuning, ProposesNothingThatIsNotProven) {
    ProtocolTuning tuning;
    for (const auto* variable : {"A", "B", "C", "D", "E", "F", "G"}) {
        tuning.parameters.push_back({variable, "1", {{"2", {with_gain(8, 1.1)}}}});
    }
    tuning.propose();
    EXPECT_EQ(tuning.proposed.size(), 6U) << "as many as can be proven together";
    EXPECT_THAT(tuning.unproven, ElementsAre(Pair("G", "2")));
    tuning.proof = {with_gain(8, 1.1)};
    tuning.leave_unproven();
    EXPECT_THAT(tuning.proposed, IsEmpty());
    EXPECT_THAT(tuning.proof, IsEmpty());
    EXPECT_EQ(tuning.unproven.size(), 7U);
}

}  // namespace
}  // namespace fathom::tune
