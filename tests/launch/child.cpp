#include "launch/child.hpp"

#include <csignal>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/file.hpp"
#include "base/test_support.hpp"

namespace fathom::launch {
namespace {

using testing::refusal_of;
using testing::TempFolder;
using namespace std::chrono_literals;

Command shell(const std::string& script) {
    return {{"sh", "-c", script}, {}, {}};
}

/// The whole output of a child, and how it ended.
std::pair<std::string, int> run_to_end(Child& child) {
    std::string output;
    while (true) {
        const auto status = child.ended();
        output += child.read_output(status ? 0ms : 20ms);
        if (status) {
            return {output + child.read_output(0ms), *status};
        }
    }
}

std::string wait_for_file(const std::filesystem::path& path) {
    while (true) {
        auto text = read_file_or_empty(path);
        if (!text.empty() && text.back() == '\n') {
            return text;
        }
        std::this_thread::sleep_for(5ms);
    }
}

/// Whether a process has ended; a zombie has.
bool is_gone(pid_t process) {
    const auto stat = read_file_or_empty("/proc/" + std::to_string(process) + "/stat");
    return stat.empty() || stat.substr(stat.rfind(')') + 2, 1) == "Z";
}

TEST(Child, GivesWhatItSaysOnBothStreams) {
    Child child(shell("echo out; echo err >&2"));
    EXPECT_EQ(run_to_end(child).first, "out\nerr\n");
}

TEST(Child, GivesALotOfOutputInFull) {
    Child child(shell("i=0; while [ $i -lt 20000 ]; do echo 0123456789; i=$((i+1)); done"));
    EXPECT_EQ(run_to_end(child).first.size(), 20'000U * 11);
}

TEST(Child, TellsItsExitStatus) {
    Child child(shell("exit 3"));
    const auto status = run_to_end(child).second;
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(status_text(status), "exit status 3");
}

TEST(Child, TellsTheSignalThatKilledIt) {
    Child child(shell("kill -9 $$"));
    EXPECT_EQ(status_text(run_to_end(child).second), "signal 9 (Killed)");
}

TEST(Child, KeepsTellingHowItEnded) {
    Child child(shell("exit 4"));
    run_to_end(child);
    ASSERT_TRUE(child.ended());
    EXPECT_EQ(WEXITSTATUS(*child.ended()), 4);
}

TEST(Child, HasNotEndedWhileItRuns) {
    Child child(shell("echo up; exec sleep 100"));
    while (child.read_output(20ms).empty()) {
    }
    EXPECT_FALSE(child.ended());
}

TEST(Child, GetsItsEnvironmentAndKeepsOurs) {
    ::setenv("FATHOM_TEST_OURS", "ours", 1);
    Child child(
        {{"sh", "-c", "echo $FATHOM_TEST_OURS $FATHOM_TEST_MORE"}, {{"FATHOM_TEST_MORE", "more"}}, {}});
    EXPECT_EQ(run_to_end(child).first, "ours more\n");
    EXPECT_EQ(::getenv("FATHOM_TEST_MORE"), nullptr);
    ::unsetenv("FATHOM_TEST_OURS");
}

TEST(Child, PassesItsWordsOnUnchanged) {
    Child child({{"printf", "[%s]", "a b", "", "$HOME", "'"}, {}, {}});
    EXPECT_EQ(run_to_end(child).first, "[a b][][$HOME][']");
}

TEST(Child, ReadsNothingFromOurTerminal) {
    Child child(shell("cat; echo end"));
    EXPECT_EQ(run_to_end(child).first, "end\n");
}

TEST(Child, ThatCannotBeStartedIsNamed) {
    EXPECT_EQ(refusal_of<NotMeasured>([] {
                  const Child child({{"no-such-program-here"}, {}, {}});
              }),
              "cannot start 'no-such-program-here': No such file or directory; check --launcher.");
    const TempFolder folder;
    write_file(folder / "notes", "text");
    const auto file = (folder / "notes").string();
    EXPECT_EQ(refusal_of<NotMeasured>([&] {
                  const Child child({{file}, {}, {}});
              }),
              "cannot start '" + file + "': Permission denied; check --launcher.");
}

TEST(Child, IsAskedToEndInOrder) {
    const TempFolder folder;
    {
        Child child(shell("trap 'echo asked > " + (folder / "asked").string() +
                          "; exit 0' TERM; echo up; while :; do sleep 0.01; done"));
        while (child.read_output(20ms).empty()) {
        }
        child.terminate();
    }
    EXPECT_EQ(read_file_or_empty(folder / "asked"), "asked\n");
}

TEST(Child, TakesDownAGrandchildThatIgnoresItAndHasLeftItsGroup) {
    const TempFolder folder;
    const auto file = (folder / "pid").string();
    pid_t grandchild = 0;
    {
        Child child(shell("setsid sh -c 'trap \"\" TERM HUP; echo $$ > " + file +
                          "; while :; do sleep 0.05; done' & wait"));
        grandchild = static_cast<pid_t>(std::stol(wait_for_file(file)));
        ASSERT_FALSE(is_gone(grandchild));
        child.terminate();
        EXPECT_TRUE(is_gone(grandchild));
    }
    EXPECT_TRUE(is_gone(grandchild));
}

TEST(Child, TakesDownWhatAnEndedLauncherLeftBehind) {
    const TempFolder folder;
    const auto file = (folder / "pid").string();
    pid_t orphan = 0;
    {
        Child child(shell("setsid sh -c 'trap \"\" TERM HUP; echo $$ > " + file +
                          "; while :; do sleep 0.05; done' & exit 0"));
        orphan = static_cast<pid_t>(std::stol(wait_for_file(file)));
        while (!child.ended()) {
            child.read_output(20ms);
        }
        EXPECT_FALSE(is_gone(orphan));
    }
    EXPECT_TRUE(is_gone(orphan));
}

TEST(Child, IsTakenDownWithItsOwner) {
    const TempFolder folder;
    pid_t process = 0;
    {
        const Child child(shell("echo $$ > " + (folder / "pid").string() + "; exec sleep 100"));
        process = static_cast<pid_t>(std::stol(wait_for_file(folder / "pid")));
    }
    EXPECT_TRUE(is_gone(process));
}

TEST(Child, IsTakenDownEvenIfItIsStopped) {
    const TempFolder folder;
    Child child(shell("echo $$ > " + (folder / "pid").string() + "; exec sleep 100"));
    const auto process = static_cast<pid_t>(std::stol(wait_for_file(folder / "pid")));
    ::kill(process, SIGSTOP);
    child.terminate();
    EXPECT_TRUE(is_gone(process));
}

TEST(Child, IsTakenDownWhenItsSupervisorIsKilled) {
    const TempFolder folder;
    const pid_t supervisor = ::fork();
    if (supervisor == 0) {
        const Child child(shell("echo $$ > " + (folder / "pid").string() + "; exec sleep 100"));
        while (true) {
            ::pause();
        }
    }
    const auto process = static_cast<pid_t>(std::stol(wait_for_file(folder / "pid")));
    EXPECT_FALSE(is_gone(process));
    ::kill(supervisor, SIGKILL);
    ::waitpid(supervisor, nullptr, 0);
    while (!is_gone(process)) {  // the time limit of the test stands for "never"
        std::this_thread::sleep_for(5ms);
    }
}

TEST(Child, LeavesNoLitter) {
    const TempFolder folder;
    std::filesystem::create_directory(folder / "scratch");
    write_file(folder / "scratch/hosts", "h0");
    write_file(folder / "job.toml", "x");
    write_file(folder / "kept", "x");
    {
        Child child({{"true"}, {}, {folder / "scratch", folder / "job.toml", folder / "absent"}});
        run_to_end(child);
    }
    EXPECT_FALSE(std::filesystem::exists(folder / "scratch"));
    EXPECT_FALSE(std::filesystem::exists(folder / "job.toml"));
    EXPECT_TRUE(std::filesystem::exists(folder / "kept"));
}

}  // namespace
}  // namespace fathom::launch
