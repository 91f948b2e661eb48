#include "base/error.hpp"

#include <gtest/gtest.h>

namespace fathom {
namespace {

TEST(Error, EndsTheProgramWithTheStatusOfItsCategory) {
    EXPECT_EQ(static_cast<int>(BadInput("x").status()), 2);
    EXPECT_EQ(static_cast<int>(NotMeasured("x").status()), 3);
    EXPECT_EQ(static_cast<int>(Unwritable("x").status()), 3);
    EXPECT_EQ(static_cast<int>(Unavailable("x").status()), 3);
    EXPECT_EQ(static_cast<int>(exit_status_of(ErrorCategory::unexpected)), 3);
}

TEST(Error, KeepsItsSentenceAndItsCategory) {
    try {
        throw Unwritable("no room");
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "no room");
        EXPECT_EQ(error.category(), ErrorCategory::unwritable);
    }
}

TEST(ExitStatus, IsThatOfTheContract) {
    EXPECT_EQ(static_cast<int>(ExitStatus::done), 0);
    EXPECT_EQ(static_cast<int>(ExitStatus::check_failed), 1);
}

}  // namespace
}  // namespace fathom
