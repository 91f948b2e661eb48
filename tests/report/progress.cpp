#include "report/progress.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/terminals.hpp"
#include "store/sample_store.hpp"

namespace fathom::report {
namespace {

using testing::point_spec;

constexpr Terminal screen{.interactive = true, .colour = false, .columns = 80};

std::string said(const Terminal& terminal, Lines lines) {
    ::testing::internal::CaptureStderr();
    {
        Progress progress(terminal, 2, lines);
        progress.begin(point_spec(0, "bcast", 1024));
        progress.end(point_spec(0, "bcast", 1024), "5.61 us", true);
        progress.begin(point_spec(1, "barrier", 0));
        progress.end(point_spec(1, "barrier", 0), "failed", false);
    }
    return ::testing::internal::GetCapturedStderr();
}

TEST(Progress, IsALineForAPointThatFailedOffATerminal) {
    EXPECT_EQ(said(plain, Lines::some), "[2/2] barrier  2 procs: failed\n");
}

TEST(Progress, IsALineForEveryPointOnRequest) {
    EXPECT_EQ(said(plain, Lines::all_points),
              "[1/2] bcast 1 KiB  2 procs: 5.61 us\n[2/2] barrier  2 procs: failed\n");
    EXPECT_THAT(said(screen, Lines::all_points),
                ::testing::HasSubstr("\r\x1b[K[1/2] bcast 1 KiB  2 procs: 5.61 us\n"));
}

TEST(Progress, NamesWhatPointsAreMeasuredWith) {
    auto tree = point_spec(0, "bcast", 1024);
    tree.key.implementation = "tree:flat";
    const auto library = point_spec(1, "bcast", 1024);
    ::testing::internal::CaptureStderr();
    Progress progress(plain, 2, Lines::all_points);
    progress.tell_apart({tree, library});
    progress.end(tree, "5.61 us", true);
    progress.end(library, "5.62 us", true);
    EXPECT_EQ(::testing::internal::GetCapturedStderr(),
              "[1/2] bcast 1 KiB  2 procs, via tree:flat: 5.61 us\n"
              "[2/2] bcast 1 KiB  2 procs, via library: 5.62 us\n");
}

TEST(Progress, IsNothingWhereSilenceIsAsked) {
    EXPECT_EQ(said(plain, Lines::none), "");
    EXPECT_EQ(said(screen, Lines::none), "");
}

TEST(Progress, IsABarOnATerminalThatIsGoneAtTheEnd) {
    const auto text = said(screen, Lines::some);
    EXPECT_THAT(text, ::testing::HasSubstr("[------------------------------]  0/2  bcast 1 KiB  2 procs"));
    EXPECT_THAT(text, ::testing::HasSubstr("[###############---------------]  1/2  barrier  2 procs"));
    EXPECT_THAT(text, ::testing::EndsWith("\r\x1b[K"));
    EXPECT_EQ(text.find('\n'), std::string::npos);
}

TEST(Progress, NeverWrapsItsBar) {
    ::testing::internal::CaptureStderr();
    {
        Progress progress({.interactive = true, .colour = false, .columns = 30}, 2, Lines::some);
        progress.begin(point_spec(0, "allreduce", 1024));
    }
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "\r\x1b[K  [--------------------------\r\x1b[K");
}

TEST(Progress, ClearsTheBarBeforeALineOfItsOwn) {
    ::testing::internal::CaptureStderr();
    Progress progress(screen, 2, Lines::some);
    progress.begin(point_spec(0, "bcast", 1024));
    progress.say("warning: x");
    EXPECT_THAT(::testing::internal::GetCapturedStderr(), ::testing::EndsWith("procs\r\x1b[Kwarning: x\n"));
}

TEST(Progress, SaysOneLineWithoutControlCharacters) {
    ::testing::internal::CaptureStderr();
    {
        Progress progress(plain, 1, Lines::all_points);
        progress.say("warning: a\nb\x1b[2J");
        progress.end(point_spec(0, "bcast", 1024), "failed: x\ry\u202e", false);
    }
    EXPECT_EQ(::testing::internal::GetCapturedStderr(),
              "warning: a\\nb\\x1b[2J\n[1/1] bcast 1 KiB  2 procs: failed: x\\ry\\u202e\n");
}

TEST(Progress, CountsPointsFoundOnTheWay) {
    ::testing::internal::CaptureStderr();
    {
        Progress progress(plain, 1, Lines::all_points);
        progress.begin(point_spec(0, "bcast", 1024));
        progress.end(point_spec(0, "bcast", 1024), "5.61 us", true);
        progress.grow();
        progress.begin(point_spec(1, "bcast", 512));
        progress.end(point_spec(1, "bcast", 512), "5 us", true);
    }
    EXPECT_EQ(::testing::internal::GetCapturedStderr(),
              "[1/1] bcast 1 KiB  2 procs: 5.61 us\n[2/2] bcast 512 B  2 procs: 5 us\n");
}

}  // namespace
}  // namespace fathom::report
