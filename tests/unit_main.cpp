// main() of the unit tests: GoogleTest's, with a limit on the time of each test case, so that one that hangs
// is named.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

/// The longest test case takes some seconds on an idle machine, and ten times that under sanitizers on a busy
/// one.
constexpr unsigned longest_case_s = 300;

/// What the signal handler writes, which may not allocate.
std::string complaint;

void give_up(int /*signal*/) {
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, complaint.data(), complaint.size());
    std::abort();
}

class TimeLimit : public testing::EmptyTestEventListener {
  public:
    void OnTestStart(const testing::TestInfo& test) override {
        complaint = std::string("\n[  FAILED  ] ") + test.test_suite_name() + "." + test.name() +
                    ": not done after " + std::to_string(longest_case_s) + " s\n";
        ::alarm(longest_case_s);
    }
    void OnTestEnd(const testing::TestInfo& /*test*/) override { ::alarm(0); }
};

}  // namespace

int main(int argc, char** argv) {
    testing::InitGoogleMock(&argc, argv);
    std::signal(SIGALRM, give_up);
    testing::UnitTest::GetInstance()->listeners().Append(new TimeLimit);
    return RUN_ALL_TESTS();
}
