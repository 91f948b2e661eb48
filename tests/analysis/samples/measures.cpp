#include "analysis/samples/measures.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/point/point_result.hpp"
#include "store/sample_store.hpp"

namespace fathom::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::point_spec;
using testing::SampleStore;
using testing::source_of;

/// The measures of a point of an operation with these counts.
std::vector<Measure> measures_with(const std::string& operation,
                                   const std::vector<std::map<std::string, double>>& counts_by_rank) {
    const int procs = static_cast<int>(counts_by_rank.size());
    SampleStore sample({point_spec(0, operation, plan::find_operation(operation).sized ? 64 : 0, procs)});
    std::vector<journal::RankTally> tallies;
    for (int rank = 0; rank < procs; ++rank) {
        tallies.push_back(
            {.point = 0, .rank = rank, .counts = counts_by_rank[static_cast<std::size_t>(rank)]});
    }
    sample.store.put_point(sample.run, sample.job, {.index = 0, .status = journal::PointStatus::ok},
                           source_of({}), {.tallies = tallies});
    return evaluate(sample.store, sample.store.point(sample.run, 0)).measures;
}

std::vector<std::string> names_of(const std::vector<Measure>& measures) {
    std::vector<std::string> names;
    for (const auto& measure : measures) {
        names.emplace_back(to_text(measure.kind));
    }
    return names;
}

Measure named(const std::vector<Measure>& measures, const std::string& name) {
    const auto found = std::find_if(measures.begin(), measures.end(),
                                    [&](const auto& one) { return to_text(one.kind) == name; });
    EXPECT_NE(found, measures.end()) << name;
    return found == measures.end() ? Measure{} : *found;
}

/// Which ranks stand out with which shares, and whether the others wait for the one with the least.
::testing::Matcher<const Measure&> has_extremes(int most, double most_share, int least, double least_share,
                                                bool waited_for) {
    using ::testing::AllOf;
    using ::testing::DoubleNear;
    using ::testing::Field;
    const auto rank_share = [](int rank, double share) {
        return AllOf(Field(&RankShare::rank, rank), Field(&RankShare::share, DoubleNear(share, 1e-9)));
    };
    return Field(&Measure::extremes,
                 ::testing::Optional(AllOf(Field(&ShareExtremes::most, rank_share(most, most_share)),
                                           Field(&ShareExtremes::least, rank_share(least, least_share)),
                                           Field(&ShareExtremes::waited_for, waited_for))));
}

std::map<std::string, double> master(double busy_ns, double total_ns, double pieces) {
    return {{"busy_ns", busy_ns}, {"total_ns", total_ns}, {"pieces", pieces}};
}

std::map<std::string, double> worker(double pieces) {
    return {{"pieces", pieces}};
}

TEST(MeasuresOfAFarm, AreItsRateTheMastersLoadAndFairness) {
    const auto measures =
        measures_with("master.waitsome", {master(250e6, 1e9, 1'200), worker(300), worker(600), worker(300)});
    EXPECT_THAT(names_of(measures), ElementsAre("pieces_per_s", "master_busy_share", "fairness"));
    EXPECT_DOUBLE_EQ(named(measures, "pieces_per_s").value, 1'200);
    EXPECT_DOUBLE_EQ(named(measures, "master_busy_share").value, 0.25);
    // (1 + 2 + 1)^2 / (3 (1 + 4 + 1))
    EXPECT_DOUBLE_EQ(named(measures, "fairness").value, 16.0 / 18);
    EXPECT_THAT(named(measures, "fairness"), has_extremes(2, 0.5, 1, 0.25, false));
}

TEST(MeasuresOfAFarm, AreFairIfAllHadAsMuch) {
    const auto fairness =
        named(measures_with("master.send", {master(1, 2, 20), worker(10), worker(10)}), "fairness");
    EXPECT_DOUBLE_EQ(fairness.value, 1);
    EXPECT_FALSE(fairness.extremes);
}

TEST(MeasuresOfAFarm, AreAsUnfairAsCanBeIfOneHadAll) {
    const auto measures =
        measures_with("master.send", {master(1, 2, 20), worker(0), worker(0), worker(20), worker(0)});
    EXPECT_DOUBLE_EQ(named(measures, "fairness").value, 0.25);
    EXPECT_THAT(named(measures, "fairness"), has_extremes(3, 1, 1, 0, false));
}

std::map<std::string, double> kernel(double compute_ns, double point_to_point_ns, double allreduce_ns) {
    return {{"compute_ns", compute_ns},
            {"point_to_point_ns", point_to_point_ns},
            {"allreduce_ns", allreduce_ns},
            {"total_ns", compute_ns + point_to_point_ns + allreduce_ns}};
}

TEST(MeasuresOfAKernel, AreSharesOfTheTimeOfAllRanks) {
    const auto measures =
        measures_with("kernel.sor", {kernel(30, 20, 50), kernel(40, 20, 40), kernel(80, 10, 10)});
    EXPECT_THAT(names_of(measures), ElementsAre("compute_share", "point_to_point_share", "allreduce_share"));
    EXPECT_DOUBLE_EQ(named(measures, "compute_share").value, 0.5);
    EXPECT_THAT(named(measures, "compute_share"), has_extremes(2, 0.8, 0, 0.3, false));
    EXPECT_DOUBLE_EQ(named(measures, "point_to_point_share").value, 50.0 / 300);
    EXPECT_FALSE(named(measures, "point_to_point_share").extremes);
    EXPECT_DOUBLE_EQ(named(measures, "allreduce_share").value, 100.0 / 300);
    EXPECT_THAT(named(measures, "allreduce_share"), has_extremes(0, 0.5, 2, 0.1, true));
}

TEST(MeasuresOfAKernel, WeighRanksByTheirTime) {
    // Long repetitions count for more than short ones: 10 of 100 and 0 of 900.
    const auto measures = measures_with("kernel.sor", {kernel(90, 0, 10), kernel(900, 0, 0)});
    EXPECT_DOUBLE_EQ(named(measures, "allreduce_share").value, 0.01);
}

TEST(MeasuresOfAKernel, NameNobodyWhereRanksDifferByLessThanFivePercent) {
    const auto measures = measures_with("kernel.sor", {kernel(60, 0, 40), kernel(564, 0, 436)});
    EXPECT_FALSE(named(measures, "compute_share").extremes);
    EXPECT_FALSE(named(measures, "allreduce_share").extremes);
    const auto others = measures_with("kernel.sor", {kernel(60, 0, 40), kernel(54, 0, 46)});
    EXPECT_THAT(named(others, "compute_share"), has_extremes(0, 0.6, 1, 0.54, false));
    EXPECT_THAT(named(others, "allreduce_share"), has_extremes(1, 0.46, 0, 0.4, true));
}

TEST(MeasuresOfAKernel, BlameNoRankThatComputesLessThanOthers) {
    // Rank 1 comes late to the sum because it waited for rank 2 before.
    const auto measures =
        measures_with("kernel.sor", {kernel(30, 20, 50), kernel(30, 60, 10), kernel(60, 20, 20)});
    EXPECT_FALSE(named(measures, "point_to_point_share").extremes);
    EXPECT_THAT(named(measures, "allreduce_share"), has_extremes(0, 0.5, 1, 0.1, false));
}

TEST(MeasuresOfAKernel, AreOnlyThoseItCounted) {
    const std::map<std::string, double> sums{{"allreduce_ns", 99}, {"total_ns", 100}};
    const auto measures = measures_with("kernel.gsum", {sums, sums});
    EXPECT_THAT(names_of(measures), ElementsAre("allreduce_share"));
    EXPECT_DOUBLE_EQ(measures.front().value, 0.99);
}

TEST(Measures, AreNotThereWhereNothingWasCounted) {
    EXPECT_THAT(measures_with("master.send", {{}, {}}), IsEmpty());
    EXPECT_THAT(measures_with("kernel.sor", {{}, {}}), IsEmpty());
    EXPECT_THAT(measures_with("bcast", {{}, {}}), IsEmpty());
    const std::vector<std::map<std::string, double>> no_time{master(0, 0, 0), worker(0)};
    EXPECT_THAT(measures_with("master.send", no_time), IsEmpty());
}

}  // namespace
}  // namespace fathom::analysis
