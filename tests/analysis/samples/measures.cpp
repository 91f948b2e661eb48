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
        names.push_back(measure.name);
    }
    return names;
}

Measure named(const std::vector<Measure>& measures, const std::string& name) {
    const auto found =
        std::find_if(measures.begin(), measures.end(), [&](const auto& one) { return one.name == name; });
    EXPECT_NE(found, measures.end()) << name;
    return found == measures.end() ? Measure{} : *found;
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
    EXPECT_EQ(named(measures, "pieces_per_s").text, "1 200 pieces/s");
    EXPECT_DOUBLE_EQ(named(measures, "master_busy_share").value, 0.25);
    EXPECT_EQ(named(measures, "master_busy_share").text, "the master was busy 25 % of the time");
    // (1 + 2 + 1)^2 / (3 (1 + 4 + 1))
    EXPECT_DOUBLE_EQ(named(measures, "fairness").value, 16.0 / 18);
    EXPECT_EQ(named(measures, "fairness").text,
              "fairness 0.889 (rank 1 had the fewest pieces, 25 %; rank 2 the most, 50 %)");
}

TEST(MeasuresOfAFarm, AreFairIfAllHadAsMuch) {
    const auto fairness =
        named(measures_with("master.send", {master(1, 2, 20), worker(10), worker(10)}), "fairness");
    EXPECT_DOUBLE_EQ(fairness.value, 1);
    EXPECT_EQ(fairness.text, "fairness 1.000 (every worker had the same number of pieces)");
}

TEST(MeasuresOfAFarm, AreAsUnfairAsCanBeIfOneHadAll) {
    const auto measures =
        measures_with("master.send", {master(1, 2, 20), worker(0), worker(0), worker(20), worker(0)});
    EXPECT_DOUBLE_EQ(named(measures, "fairness").value, 0.25);
    EXPECT_EQ(named(measures, "fairness").text,
              "fairness 0.250 (rank 1 had the fewest pieces, 0 %; rank 3 the most, 100 %)");
}

TEST(MeasuresOfAFarm, NameSlowRatesWithDecimals) {
    const auto rate = named(measures_with("master.bsend", {master(0, 4e9, 10), worker(10)}), "pieces_per_s");
    EXPECT_DOUBLE_EQ(rate.value, 2.5);
    EXPECT_EQ(rate.text, "2.5 pieces/s");
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
    EXPECT_EQ(named(measures, "compute_share").text,
              "computing 50 % (rank 2 most, 80 %; rank 0 least, 30 %)");
    EXPECT_DOUBLE_EQ(named(measures, "point_to_point_share").value, 50.0 / 300);
    EXPECT_EQ(named(measures, "point_to_point_share").text, "point-to-point 17 %");
    EXPECT_DOUBLE_EQ(named(measures, "allreduce_share").value, 100.0 / 300);
    EXPECT_EQ(named(measures, "allreduce_share").text,
              "allreduce 33 % (rank 0 most, 50 %; rank 2 least, 10 %: the others wait for it)");
}

TEST(MeasuresOfAKernel, WeighRanksByTheirTime) {
    // Long repetitions count for more than short ones: 10 of 100 and 0 of 900.
    const auto measures = measures_with("kernel.sor", {kernel(90, 0, 10), kernel(900, 0, 0)});
    EXPECT_DOUBLE_EQ(named(measures, "allreduce_share").value, 0.01);
}

TEST(MeasuresOfAKernel, NameNobodyWhereRanksDifferByLessThanFivePercent) {
    const auto measures = measures_with("kernel.sor", {kernel(60, 0, 40), kernel(564, 0, 436)});
    EXPECT_EQ(named(measures, "compute_share").text, "computing 57 %");
    EXPECT_EQ(named(measures, "allreduce_share").text, "allreduce 43 %");
    const auto others = measures_with("kernel.sor", {kernel(60, 0, 40), kernel(54, 0, 46)});
    EXPECT_EQ(named(others, "compute_share").text, "computing 57 % (rank 0 most, 60 %; rank 1 least, 54 %)");
    EXPECT_EQ(named(others, "allreduce_share").text,
              "allreduce 43 % (rank 1 most, 46 %; rank 0 least, 40 %: the others wait for it)");
}

TEST(MeasuresOfAKernel, BlameNoRankThatComputesLessThanOthers) {
    // Rank 1 comes late to the sum because it waited for rank 2 before.
    const auto measures =
        measures_with("kernel.sor", {kernel(30, 20, 50), kernel(30, 60, 10), kernel(60, 20, 20)});
    EXPECT_EQ(named(measures, "point_to_point_share").text, "point-to-point 33 %");
    EXPECT_EQ(named(measures, "allreduce_share").text,
              "allreduce 27 % (rank 0 most, 50 %; rank 1 least, 10 %)");
}

TEST(MeasuresOfAKernel, AreOnlyThoseItCounted) {
    const std::map<std::string, double> sums{{"allreduce_ns", 99}, {"total_ns", 100}};
    const auto measures = measures_with("kernel.gsum", {sums, sums});
    EXPECT_THAT(names_of(measures), ElementsAre("allreduce_share"));
    EXPECT_DOUBLE_EQ(measures.front().value, 0.99);
    EXPECT_EQ(measures.front().text, "allreduce 99 %");
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
