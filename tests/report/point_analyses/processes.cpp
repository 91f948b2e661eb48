#include <gmock/gmock.h>

#include "journal/json.hpp"
#include "report/point_analyses/measured_point.hpp"
#include "report/terminals.hpp"

namespace fathom::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Two ranks, of which the second takes `factor` times as long and is the last to end.
MeasuredPoint two_ranks(double factor) {
    std::vector<double> first;
    std::vector<double> second;
    for (int i = 0; i < 100; ++i) {
        first.push_back(1000 + i % 10);
        second.push_back(factor * (1000 + i % 10));
    }
    second.back() = 123'456'789;
    MeasuredPoint measured(second);
    measured.repetitions.by_rank = {{0, first}, {1, second}};
    measured.repetitions.last_ranks.assign(second.size(), 1);
    measured.evidence.hosts = {{0, "node-1.a-long-domain.example"}, {1, "b"}};
    return measured;
}

TEST(ProcessesText, HasARowForEachRankAndItsGroup) {
    auto measured = two_ranks(2);
    const auto text = processes_text(measured.samples(), plain);
    EXPECT_THAT(text, HasSubstr("2 groups of processes"));
    EXPECT_THAT(text, HasSubstr("group"));
    EXPECT_THAT(text, HasSubstr("100 %  ########\n"));
    EXPECT_THAT(text, HasSubstr("0 %  ####\n"));
    expect_narrow(text);
    const auto json = processes_json(measured.samples());
    EXPECT_EQ(json.at("most_often_last_rank"), 1);
    EXPECT_EQ(json.at("groups").at(1).at("ranks"), nlohmann::ordered_json::array({1}));
    EXPECT_EQ(json.at("ranks").at(0).at("host"), "node-1.a-long-domain.example");
}

TEST(ProcessesText, HasNoGroupsWhereAllAreAlikeAndNobodyIsLast) {
    auto measured = two_ranks(1);
    measured.repetitions.last_ranks.assign(100, -1);
    EXPECT_THAT(processes_text(measured.samples(), plain), Not(HasSubstr("group ")));
    EXPECT_TRUE(processes_json(measured.samples()).at("most_often_last_rank").is_null());
}

TEST(ProcessesText, SaysNothingOfAMatrixInWhichOnlyOneOfEachPairIsTimed) {
    auto measured = two_ranks(2);
    measured.point.key.operation = "matrix";
    EXPECT_EQ(processes_text(measured.samples(), plain), "");
    EXPECT_TRUE(processes_json(measured.samples()).is_null());
}

TEST(ProcessesText, SaysNothingWhereRanksAreNotKnown) {
    MeasuredPoint measured({1, 2, 3});
    EXPECT_EQ(processes_text(measured.samples(), plain), "");
    EXPECT_TRUE(processes_json(measured.samples()).is_null());
}

}  // namespace
}  // namespace fathom::report
