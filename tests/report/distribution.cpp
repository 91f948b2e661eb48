#include "report/distribution.hpp"

#include <algorithm>
#include <random>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "journal/json.hpp"
#include "report/paragraph.hpp"
#include "report/processes.hpp"
#include "report/tails.hpp"
#include "report/terminals.hpp"

namespace fathom::report {
namespace {

using nlohmann::ordered_json;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<double> log_normal(std::size_t n, double median, double sigma) {
    std::mt19937_64 random(1);
    std::lognormal_distribution<double> distribution(0, sigma);
    std::vector<double> times(n);
    for (auto& time : times) {
        time = median * distribution(random);
    }
    return times;
}

void expect_narrow(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        EXPECT_LE(line.size(), 80U) << line;
    }
}

TEST(DistributionText, SaysWhatItComesToAndDrawsItIn80Columns) {
    const auto found = analysis::distribution_of(log_normal(2000, 50'000, 0.05));
    const auto text = distribution_text(found, plain);
    EXPECT_THAT(text, HasSubstr("One mode, at "));
    EXPECT_THAT(text, HasSubstr("####"));
    EXPECT_THAT(text, HasSubstr("shifted log-normal"));
    EXPECT_THAT(text, HasSubstr("gamma"));
    std::istringstream lines(text.substr(0, text.find("  fit")));
    for (std::string line; std::getline(lines, line);) {
        EXPECT_LE(line.size(), 80U) << line;
    }
}

TEST(DistributionText, LabelsBarsSoThatTheyDiffer) {
    const auto text = distribution_text(analysis::distribution_of(log_normal(500, 50'000, 0.001)), plain);
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
    const auto text = distribution_text(analysis::distribution_of(times), plain);
    EXPECT_THAT(text, HasSubstr("2 modes"));
    EXPECT_THAT(text, HasSubstr("50.00 %"));
}

TEST(DistributionJson, HasEverything) {
    const auto found = analysis::distribution_of(log_normal(2000, 50'000, 0.3));
    const auto json = distribution_json(found);
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

TEST(TailsText, HasBothTablesAndSaysWhatIsTooFew) {
    const auto tails =
        analysis::tails_of(std::vector<double>{1000, 1500, 2000, 2500, 3000, 6000, 9000, 1000, 1000, 1000});
    const auto text = tails_text(tails, plain);
    EXPECT_THAT(text, HasSubstr("below 2 x min               50.00 %"));
    EXPECT_THAT(text, HasSubstr("from 2 x min to 3 x min     20.00 %"));
    EXPECT_THAT(text, HasSubstr("from 6 x min on             20.00 %"));
    EXPECT_THAT(text, HasSubstr("below mean + 1 sd"));
    EXPECT_THAT(text, HasSubstr("not enough samples for p99.9"));
    expect_narrow(text);
    const auto json = tails_json(tails);
    EXPECT_EQ(json.at("by_minimum").at(1), 0.2);
    EXPECT_EQ(json.at("by_deviation").size(), 5U);
    EXPECT_TRUE(json.at("quantiles").at(2).at("value_ns").is_null());
    EXPECT_EQ(json.at("quantiles").at(2).at("name"), "p99.9");
    EXPECT_TRUE(tails_json(analysis::tails_of(std::vector<double>{0, 1})).at("by_minimum").is_null());
}

TEST(ProcessesText, HasARowForEachRankAndItsGroup) {
    analysis::Processes processes;
    processes.ranks = {{.rank = 0,
                        .host = "node-1.a-long-domain.example",
                        .count = 9,
                        .min_ns = 900,
                        .mean_ns = 1010,
                        .median_ns = 1000,
                        .max_ns = 2000,
                        .last_share = 0,
                        .group = 0},
                       {.rank = 1,
                        .host = "b",
                        .count = 9,
                        .min_ns = 1900,
                        .mean_ns = 2010,
                        .median_ns = 2000,
                        .max_ns = 123'456'789,
                        .last_share = 1,
                        .group = 1}};
    processes.groups = {{.ranks = {0}, .low_ns = 1000, .high_ns = 1000},
                        {.ranks = {1}, .low_ns = 2000, .high_ns = 2000}};
    processes.most_often_last = 1;
    processes.text = "2 groups.";
    const auto text = processes_text(processes, plain);
    EXPECT_THAT(text, HasSubstr("2 groups."));
    EXPECT_THAT(text, HasSubstr("group"));
    EXPECT_THAT(text, HasSubstr("100 %  ########\n"));
    EXPECT_THAT(text, HasSubstr("0 %  ####\n"));
    expect_narrow(text);
    const auto json = processes_json(processes);
    EXPECT_EQ(json.at("most_often_last_rank"), 1);
    EXPECT_EQ(json.at("groups").at(1).at("ranks"), ordered_json::array({1}));
    EXPECT_EQ(json.at("ranks").at(0).at("host"), "node-1.a-long-domain.example");
    processes.groups.pop_back();
    processes.most_often_last = -1;
    EXPECT_THAT(processes_text(processes, plain), Not(HasSubstr("group ")));
    EXPECT_TRUE(processes_json(processes).at("most_often_last_rank").is_null());
}

TEST(Paragraph, BreaksLinesBetweenWords) {
    EXPECT_EQ(paragraph("a few words"), "  a few words\n");
    EXPECT_EQ(paragraph(""), "");
    const auto text = paragraph(std::string(70, 'x') + " next word");
    EXPECT_EQ(text, "  " + std::string(70, 'x') + " next\n  word\n");
    EXPECT_EQ(paragraph(std::string(100, 'x')), "  " + std::string(100, 'x') + "\n");
}

}  // namespace
}  // namespace fathom::report
