#include <algorithm>
#include <random>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "journal/json.hpp"
#include "report/point_analyses/measured_point.hpp"
#include "report/terminals.hpp"

namespace fathom::report {
namespace {

using ::testing::HasSubstr;

std::vector<double> log_normal(std::size_t n, double median, double sigma) {
    std::mt19937_64 random(1);
    std::lognormal_distribution<double> distribution(0, sigma);
    std::vector<double> times(n);
    for (auto& time : times) {
        time = median * distribution(random);
    }
    return times;
}

TEST(DistributionText, SaysWhatItComesToAndDrawsItIn80Columns) {
    MeasuredPoint measured(log_normal(2000, 50'000, 0.05));
    const auto text = distribution_text(measured.samples(), plain);
    EXPECT_THAT(text, HasSubstr("One mode, at "));
    EXPECT_THAT(text, HasSubstr("####"));
    EXPECT_THAT(text, HasSubstr("shifted log-normal"));
    EXPECT_THAT(text, HasSubstr("gamma"));
    expect_narrow(text.substr(0, text.find("  fit")));
}

TEST(DistributionText, LabelsBarsSoThatTheyDiffer) {
    MeasuredPoint measured(log_normal(500, 50'000, 0.001));
    const auto text = distribution_text(measured.samples(), plain);
    std::vector<std::string> labels;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (const auto bar = line.find('|'); bar != std::string::npos) {
            labels.push_back(line.substr(0, bar));
        }
    }
    ASSERT_GT(labels.size(), 5U);
    EXPECT_EQ(std::adjacent_find(labels.begin(), labels.end()), labels.end());
}

TEST(DistributionText, HasATableOfModesWhereThereAreSeveral) {
    auto times = log_normal(500, 1000, 0.05);
    const auto late = log_normal(500, 1e6, 0.05);
    times.insert(times.end(), late.begin(), late.end());
    const auto text = distribution_text(MeasuredPoint(times).samples(), plain);
    EXPECT_THAT(text, HasSubstr("2 modes"));
    EXPECT_THAT(text, HasSubstr("50.00 %"));
}

TEST(DistributionJson, HasEverything) {
    MeasuredPoint measured(log_normal(2000, 50'000, 0.3));
    const auto json = distribution_json(measured.samples());
    for (const auto* field : {"count", "independent_count", "clock_step_ns", "histogram", "histogram_log10",
                              "steps", "density", "modes", "body_to_ns", "body_share", "fits", "text"}) {
        EXPECT_TRUE(json.contains(field)) << field;
    }
    std::int64_t sum = json.at("histogram").at("above").get<std::int64_t>();
    for (const auto& count : json.at("histogram").at("counts")) {
        sum += count.get<std::int64_t>();
    }
    EXPECT_EQ(sum, 2000);
    EXPECT_TRUE(json.at("histogram_log10").contains("low_log10_ns"));
    const auto& best = json.at("fits").at(0);
    EXPECT_EQ(best.at("family"), "log-normal");
    EXPECT_NEAR(best.at("parameters").at("sigma").get<double>(), 0.3, 0.02);
    EXPECT_TRUE(best.at("good").get<bool>());
    EXPECT_LE(best.at("bic").get<double>(), json.at("fits").at(1).at("bic").get<double>());
}

TEST(DistributionJson, IsOfEachRankWhereEachCounts) {
    MeasuredPoint measured(std::vector<double>(30, 2000));
    measured.repetitions.by_rank = {{0, std::vector<double>(30, 1000)}, {3, std::vector<double>(30, 2000)}};
    EXPECT_FALSE(distribution_json(measured.samples()).contains("ranks"));
    measured.point.over_ranks = plan::OverRanks::each;
    const auto json = distribution_json(measured.samples());
    EXPECT_EQ(json.at("count"), 60);
    EXPECT_EQ(json.at("ranks").at(1).at("rank"), 3);
    EXPECT_EQ(json.at("ranks").at(1).at("count"), 30);
    EXPECT_THAT(distribution_text(measured.samples(), plain), HasSubstr("\nrank 3\n"));
}

}  // namespace
}  // namespace fathom::report
