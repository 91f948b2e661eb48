#include "stats/student.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "stats/random.hpp"

namespace fathom::stats {
namespace {

TEST(Student, IsThatOfTheTables) {
    EXPECT_NEAR(student_factor(1), 12.7062, 1e-4);
    EXPECT_NEAR(student_factor(4), 2.7764, 1e-4);
    EXPECT_GT(student_factor(2.5), 3.1825) << "of 3";
    EXPECT_LT(student_factor(2.5), 4.3026) << "of 2";
    EXPECT_NEAR(student_factor(1e7), normal_factor, 1e-6);
}

TEST(FewValues, HaveAnIntervalThatCoversTheTrueMedian) {
    for (const std::size_t count : {2U, 3U, 5U, 8U, 10U, 20U}) {
        Random random(count);
        constexpr int trials = 10'000;
        int covered = 0;
        for (int i = 0; i < trials; ++i) {
            std::vector<double> values;
            for (std::size_t k = 0; k < count; ++k) {
                values.push_back(100 + random.normal());
            }
            const auto interval = few_values_ci95(values);
            covered += interval.low <= 100 && 100 <= interval.high ? 1 : 0;
        }
        EXPECT_GT(covered, trials * 93 / 100) << count;
        EXPECT_LT(covered, trials * 97 / 100) << count;
    }
    EXPECT_EQ(few_values_ci95(std::vector<double>{7}).high, 7);
}

}  // namespace
}  // namespace fathom::stats
