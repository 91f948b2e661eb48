#include "machine/process.hpp"

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace fathom::machine {
namespace {

/// A child that waits until it is killed, as others see it.
class ProcessFromOutside : public ::testing::Test {
  protected:
    ProcessFromOutside() {
        int ready[2] = {-1, -1};
        EXPECT_EQ(::pipe(ready), 0);
        pid = ::fork();
        if (pid == 0) {
            const auto start = this_process().start_ticks;
            [[maybe_unused]] const auto written = ::write(ready[1], &start, sizeof start);
            ::pause();
            ::_exit(0);
        }
        child = this_process();
        child.pid = pid;
        EXPECT_EQ(::read(ready[0], &child.start_ticks, sizeof child.start_ticks),
                  static_cast<ssize_t>(sizeof child.start_ticks));
        ::close(ready[0]);
        ::close(ready[1]);
    }
    ~ProcessFromOutside() override { end(); }
    void end() {
        if (pid > 0) {
            ::kill(pid, SIGKILL);
            ::waitpid(pid, nullptr, 0);
            pid = -1;
        }
    }

    pid_t pid = -1;
    Process child;
};

TEST(ThisProcess, IsAliveAndTheSameEveryTime) {
    EXPECT_EQ(is_alive(this_process()), true);
    EXPECT_EQ(this_process(), this_process());
    EXPECT_EQ(this_process().pid, ::getpid());
    EXPECT_GT(this_process().start_ticks, 0);
}

TEST_F(ProcessFromOutside, IsAliveUntilItEnds) {
    EXPECT_EQ(is_alive(child), true);
    end();
    EXPECT_EQ(is_alive(child), false);
}

TEST_F(ProcessFromOutside, IsAliveWhileItIsStopped) {
    ::kill(pid, SIGSTOP);
    EXPECT_EQ(is_alive(child), true);
}

TEST_F(ProcessFromOutside, IsGoneOnceItHasEndedEvenIfNobodyHasWaitedForIt) {
    ::kill(pid, SIGKILL);
    siginfo_t ended{};
    ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(pid), &ended, WEXITED | WNOWAIT), 0);
    EXPECT_EQ(is_alive(child), false);
}

TEST_F(ProcessFromOutside, IsGoneIfAnotherHasItsNumberNow) {
    --child.start_ticks;
    EXPECT_EQ(is_alive(child), false);
}

TEST_F(ProcessFromOutside, CannotBeSeenFromAnotherHostOrContainer) {
    auto elsewhere = child;
    elsewhere.boot_id = "another";
    EXPECT_EQ(is_alive(elsewhere), std::nullopt);
    elsewhere = child;
    elsewhere.namespaces = "pid:[1] time:[2]";
    EXPECT_EQ(is_alive(elsewhere), std::nullopt);
    elsewhere = child;
    elsewhere.host = "another-name";
    EXPECT_EQ(is_alive(elsewhere), true) << "a host may have several names";
}

}  // namespace
}  // namespace fathom::machine
