#include "report/output.hpp"

#include <gtest/gtest.h>

namespace fathom::report {
namespace {

TEST(Output, HasNothingThatATerminalObeys) {
    ::testing::internal::CaptureStdout();
    print("{} of {}\n", "\x1b[31mred\x1b[0m\u202e", 2);
    std::fflush(stdout);
    EXPECT_EQ(::testing::internal::GetCapturedStdout(), "\\x1b[31mred\\x1b[0m\\u202e of 2\n")
        << "a file has no colours, so they are not ours";
}

TEST(Output, GoesToTheStreamThatIsNamed) {
    ::testing::internal::CaptureStderr();
    print(stderr, "fathom: {}\n", "a\rb");
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "fathom: a\\rb\n");
}

}  // namespace
}  // namespace fathom::report
