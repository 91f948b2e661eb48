#include "stats/binomial.hpp"

#include <gtest/gtest.h>

namespace fathom::stats {
namespace {

TEST(BinomialTail, IsThatOfTheBinomialDistribution) {
    EXPECT_NEAR(binomial_tail(1, 0.5, 10), 1.0 / 1'024, 1e-12);
    EXPECT_NEAR(binomial_tail(0.9, 0.5, 10), 11.0 / 1'024, 1e-12);
    EXPECT_NEAR(binomial_tail(0.1, 0.2, 10), 1 - 0.1073741824, 1e-10);
}

TEST(BinomialTail, IsCertainForNothingAndImpossibleWithoutAChance) {
    EXPECT_EQ(binomial_tail(0, 0.5, 10), 1);
    EXPECT_EQ(binomial_tail(0.5, 1, 10), 1);
    EXPECT_EQ(binomial_tail(0.5, 0, 10), 0);
}

}  // namespace
}  // namespace fathom::stats
