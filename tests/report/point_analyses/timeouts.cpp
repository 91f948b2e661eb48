#include <gmock/gmock.h>

#include "analysis/point/timeout_shares.hpp"
#include "journal/json.hpp"
#include "report/point_analyses/measured_point.hpp"
#include "report/terminals.hpp"

namespace fathom::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr double milli = 1e6;

/// Processes of which each has one slow time more than the one before it.
MeasuredPoint slower_and_slower(int count) {
    std::vector<double> slowest(100, 18 * milli);
    MeasuredPoint measured(slowest);
    for (int rank = 0; rank < count; ++rank) {
        auto& own = measured.repetitions.by_rank[rank] = slowest;
        std::fill(own.begin(), own.begin() + rank, 240 * milli);
        measured.evidence.hosts[rank] = "a-host-of-long-name-" + std::to_string(rank);
    }
    return measured;
}

/// Its samples, read as those of several hosts.
PointSamples over_tcp(MeasuredPoint& measured) {
    (void)measured.samples();
    auto& timeouts = measured.point.analyses.timeouts;
    timeouts = {};
    timeouts.status = analysis::TimeoutStatus::unclear;
    timeouts.rto_ns = 204 * milli;
    timeouts.least_rto_ns = 200 * milli;
    timeouts.counted = 3;
    timeouts.counted_on = {{"a-host-of-long-name-1", 3}};
    return {.point = measured.point, .repetitions = measured.repetitions, .evidence = measured.evidence};
}

TEST(TimeoutsText, HasTheSharesOfEachProcessBesideWhatItsHostCounted) {
    auto measured = slower_and_slower(3);
    const auto text = timeouts_text(over_tcp(measured), plain);
    EXPECT_THAT(text, HasSubstr("99.0 % none,\n  1.0 % 1 timeouts"));
    EXPECT_THAT(text, HasSubstr("99.0 %  1.0 %  0.0 %  0.0 %                3\n"));
    EXPECT_THAT(text, HasSubstr("98.0 %  2.0 %  0.0 %  0.0 %                0\n"));
    expect_narrow(text.substr(text.find("  By process")));
    const auto json = timeouts_json(over_tcp(measured)).at("by_process");
    EXPECT_EQ(json.at("step_ns"), 200 * milli);
    EXPECT_EQ(json.at("classes").at(1).at("times"), 3);
    EXPECT_EQ(json.at("ranks").at(2).at("classes").at(1).at("share"), 0.02);
}

TEST(TimeoutsText, OfManyProcessesShowsThoseWithMost) {
    auto measured = slower_and_slower(20);
    const auto text = timeouts_text(over_tcp(measured), plain);
    EXPECT_THAT(text, HasSubstr("4 more processes with no more timeouts"));
    EXPECT_THAT(text, HasSubstr("81.0 %"));
    EXPECT_THAT(text, Not(HasSubstr("97.0 %"))) << "rank 3 is the first that is left out";
}

TEST(TimeoutsText, HasNoTableOfProcessesWithoutTimeouts) {
    auto measured = slower_and_slower(1);
    EXPECT_THAT(timeouts_text(over_tcp(measured), plain), Not(HasSubstr("By process")));
    EXPECT_EQ(timeouts_json(over_tcp(measured)).at("by_process").at("classes").at(0).at("share"), 1);
}

}  // namespace
}  // namespace fathom::report
