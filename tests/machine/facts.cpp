#include "machine/facts.hpp"

#include <array>
#include <sched.h>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

namespace fathom::machine {
namespace {

/// Confines this process to one processor for the length of a test.
class OnOneProcessor {
  public:
    OnOneProcessor() {
        ::sched_getaffinity(0, sizeof before_, &before_);
        cpu_ = 0;
        while (!CPU_ISSET(static_cast<unsigned>(cpu_), &before_)) {
            ++cpu_;
        }
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(static_cast<unsigned>(cpu_), &one);
        ::sched_setaffinity(0, sizeof one, &one);
    }
    OnOneProcessor(const OnOneProcessor&) = delete;
    OnOneProcessor& operator=(const OnOneProcessor&) = delete;
    ~OnOneProcessor() { ::sched_setaffinity(0, sizeof before_, &before_); }

    [[nodiscard]] int cpu() const { return cpu_; }

  private:
    cpu_set_t before_{};
    int cpu_ = 0;
};

TEST(ProcessorsIn, CountsSingleOnesAndRanges) {
    EXPECT_EQ(processors_in("0"), 1);
    EXPECT_EQ(processors_in("0-3"), 4);
    EXPECT_EQ(processors_in("0-3,8"), 5);
    EXPECT_EQ(processors_in("0,2,4-5,64-127"), 68);
    EXPECT_EQ(processors_in(""), 0);
}

TEST(Facts, SayWhatEveryHostHas) {
    const auto facts = collect_facts();
    for (const auto* key : {"kernel", "architecture", "cores", "processors", "memory_bytes"}) {
        ASSERT_TRUE(facts.contains(key)) << key;
    }
    EXPECT_EQ(facts.at("kernel").rfind("Linux ", 0), 0U);
    EXPECT_GE(std::stoi(facts.at("cores")), 1);
    EXPECT_GE(std::stoi(facts.at("processors")), std::stoi(facts.at("cores")));
    EXPECT_GT(std::stoll(facts.at("memory_bytes")), 1 << 20);
}

TEST(Facts, LeaveOutWhatIsNotKnown) {
    for (const auto& [key, value] : collect_facts()) {
        EXPECT_FALSE(value.empty()) << key;
    }
}

TEST(HostName, IsTheOneOfTheKernel) {
    std::array<char, 256> name{};
    ASSERT_EQ(::gethostname(name.data(), name.size()), 0);
    EXPECT_EQ(host_name(), name.data());
}

TEST(Binding, NamesTheProcessorsOfThisProcess) {
    const OnOneProcessor confined;
    EXPECT_EQ(binding(), std::to_string(confined.cpu()));
}

TEST(UsableCores, AreThoseThisProcessMayUse) {
    EXPECT_GE(usable_cores(), 1);
    EXPECT_LE(usable_cores(), processors_in(binding()));
    const OnOneProcessor confined;
    EXPECT_EQ(usable_cores(), 1);
}

}  // namespace
}  // namespace fathom::machine
