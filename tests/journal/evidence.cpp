#include "journal/evidence.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace fathom::journal {
namespace {

const std::vector<CountedStretch> some{
    {{-5}, {INT64_MAX}, {.preempted = 1, .blocked = 2, .minor_faults = 3, .major_faults = 4}},
    {{100},
     {250},
     {.migrations = 5, .tcp_timeouts = 6, .tcp_retransmits = 7, .tcp_probes = 8, .waited_ns = 9}},
    {{240}, {300}, {.preempted = INT64_MAX}}};

TEST(Evidence, SurvivesPacking) {
    EXPECT_EQ(unpack_evidence(pack_evidence(some), 3), some);
    EXPECT_TRUE(unpack_evidence(pack_evidence({}), 0).empty());
}

TEST(Evidence, IsRefusedIfItIsDamagedOrOfAnotherNumber) {
    auto packed = pack_evidence(some);
    EXPECT_THROW(unpack_evidence(packed, 2), Error);
    EXPECT_THROW(unpack_evidence(packed, 4), Error);
    EXPECT_THROW(unpack_evidence(packed, -1), Error);
    packed[packed.size() / 2] = static_cast<char>(packed[packed.size() / 2] ^ 1);
    EXPECT_THROW(unpack_evidence(packed, 3), Error);
    EXPECT_THROW(unpack_evidence("", 1), Error);
}

TEST(Counts, AreTakenFromEachOther) {
    const auto difference = Counts{.preempted = 10, .tcp_probes = 7} - Counts{.preempted = 4, .blocked = 0};
    EXPECT_EQ(difference, (Counts{.preempted = 6, .tcp_probes = 7}));
    EXPECT_TRUE((difference - difference).none());
}

}  // namespace
}  // namespace fathom::journal
