#include "base/error.hpp"

#include <gtest/gtest.h>

namespace fathom {
namespace {

TEST(Error, CarriesTheExitStatusOfTheContract) {
    EXPECT_EQ(static_cast<int>(BadInput("x").status()), 2);
    EXPECT_EQ(static_cast<int>(NotMeasured("x").status()), 3);
    EXPECT_EQ(static_cast<int>(ExitStatus::done), 0);
    EXPECT_EQ(static_cast<int>(ExitStatus::check_failed), 1);
}

TEST(Error, KeepsItsSentence) {
    EXPECT_STREQ(BadInput("give more").what(), "give more");
}

}  // namespace
}  // namespace fathom
