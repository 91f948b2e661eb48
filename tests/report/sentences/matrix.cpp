#include "report/sentences/matrix.hpp"

#include <gtest/gtest.h>

namespace fathom::report {
namespace {

using analysis::ComponentKind;

analysis::SlowComponent slow_of(ComponentKind kind, const std::vector<std::string>& hosts,
                                std::int64_t size) {
    analysis::SlowComponent slow;
    slow.kind = kind;
    slow.hosts = hosts;
    slow.key = {.operation = "matrix", .procs = 4, .size = {size}};
    slow.time_ns = 9.8e6;
    slow.median_ns = 1e6;
    slow.factor = 9.8;
    return slow;
}

TEST(SlowComponentSentence, SaysWhatItIsAndByHowMuch) {
    EXPECT_EQ(sentence(slow_of(ComponentKind::host, {"h3"}, 1 << 20)),
              "host h3: 1 MiB messages with others take 9.8 times the median (9.80 ms against 1.00 ms, "
              "107 MB/s against 1.05 GB/s)");
    EXPECT_EQ(sentence(slow_of(ComponentKind::link, {"h0", "h1"}, 8)),
              "link between h0 and h1: 8 B messages take 9.8 times the median (9.80 ms against 1.00 ms)");
    auto process = slow_of(ComponentKind::process, {"h0"}, 8);
    process.rank = 2;
    EXPECT_EQ(
        sentence(process),
        "process 2 on h0: 8 B messages with others take 9.8 times the median (9.80 ms against 1.00 ms)");
    auto within = slow_of(ComponentKind::host, {"h2"}, 8);
    within.within = true;
    EXPECT_EQ(sentence(within),
              "host h2: 8 B messages within it take 9.8 times the median (9.80 ms against 1.00 ms)");
}

TEST(SlowComponentSentence, SaysWhatLimitsTheConclusions) {
    analysis::SlowComponents components;
    EXPECT_EQ(remark_on(components), "");
    components.limit = analysis::MatrixLimit::two_hosts;
    EXPECT_EQ(remark_on(components), "with only two hosts, a slow one cannot be identified");
    components.limit = analysis::MatrixLimit::two_processes;
    EXPECT_EQ(remark_on(components), "with only two processes, there is nothing to compare with");
    components.limit = analysis::MatrixLimit::few_repetitions;
    EXPECT_EQ(remark_on(components), "too few repetitions to tell what stands out");
    components.limit = analysis::MatrixLimit::disturbed;
    EXPECT_EQ(remark_on(components),
              "a matrix was disturbed by other programs most of the time and says nothing "
              "of slow processes, hosts and links");
}

TEST(PlaceOfAPair, SaysWhatHoldsBothOrLiesBetweenThem) {
    EXPECT_EQ(level_text(analysis::PairLevel::same_numa_node), "within a NUMA node");
    EXPECT_EQ(level_text(analysis::PairLevel::other_socket), "between sockets");
    EXPECT_EQ(level_text(analysis::PairLevel::other_host), "between hosts");
}

}  // namespace
}  // namespace fathom::report
