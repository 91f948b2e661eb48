#include "report/sentences/curves.hpp"

#include <gtest/gtest.h>

namespace fathom::report {
namespace {

plan::PointKey key_of(const std::string& operation, int procs, std::int64_t size) {
    return {.operation = operation, .procs = procs, .size = {size}};
}

analysis::Anomaly anomaly_of(analysis::AnomalyKind kind, const plan::PointKey& key,
                             const plan::PointKey& other) {
    analysis::Anomaly anomaly;
    anomaly.kind = kind;
    anomaly.key = key;
    anomaly.other = other;
    anomaly.time_ns = 90'000;
    anomaly.other_ns = 60'000;
    anomaly.factor = 1.5;
    return anomaly;
}

TEST(AnomalySentence, ComparesTheTwoPoints) {
    using enum analysis::AnomalyKind;
    EXPECT_EQ(sentence(anomaly_of(hump, key_of("bcast", 8, 2'000), key_of("bcast", 8, 4'000))),
              "bcast, 8 processes: 2000 B takes 1.50 times as long as 4000 B (90.0 us and 60.0 us)");
    EXPECT_EQ(sentence(anomaly_of(procs, key_of("barrier", 6, 0), key_of("barrier", 8, 0))),
              "barrier: 6 processes take 1.50 times as long as 8 processes (90.0 us and 60.0 us)");
    EXPECT_EQ(sentence(anomaly_of(jump, key_of("bcast", 8, 8'192), key_of("bcast", 8, 4'096))),
              "bcast, 8 processes: 1.50 times slower from 4 KiB to 8 KiB than the curve on both sides "
              "suggests (60.0 us and 90.0 us)");
}

TEST(ViolationSentence, SaysWhatIsFaster) {
    analysis::Violation violation;
    violation.others = "reduce + bcast";
    violation.key = key_of("allreduce", 8, 1'024);
    violation.time_ns = 9'000;
    violation.bound_ns = 6'000;
    violation.factor = 1.5;
    EXPECT_EQ(sentence(violation),
              "allreduce, 1 KiB, 8 processes: 1.50 times slower than reduce + bcast (9.00 us instead of "
              "6.00 us)");
    violation.factor = 17.3;
    EXPECT_NE(sentence(violation).find("17 times slower"), std::string::npos);
}

TEST(SizeScalingSentence, SaysTheBestAndTheAsymptoticRate) {
    analysis::SizeScaling scaling;
    scaling.key = key_of("bcast", 8, 0);
    scaling.best_rate_bytes_per_s = 2e9;
    scaling.best_at = {65'536};
    EXPECT_EQ(sentence(scaling), "bcast, 8 processes: at most 2.00 GB/s (at 64 KiB)");
    scaling.asymptotic_rate_bytes_per_s = 3e9;
    scaling.half_bytes = 4096;
    EXPECT_EQ(
        sentence(scaling),
        "bcast, 8 processes: at most 2.00 GB/s (at 64 KiB); large messages approach 3.00 GB/s, half of it "
        "at 4 KiB");
}

TEST(ProtocolBoundarySentence, SaysWhatChanges) {
    analysis::ProtocolBoundary boundary;
    boundary.key = key_of("overlap.isend", 2, 8'192);
    boundary.below = {4'096};
    boundary.above = {8'192};
    boundary.time_before_ns = 1'500;
    boundary.time_after_ns = 5'000;
    boundary.overhead_before_ns = 120;
    boundary.overhead_after_ns = 4'900;
    boundary.availability_before = 0.92;
    boundary.availability_after = 0.02;
    EXPECT_EQ(sentence(boundary),
              "overlap.isend, 2 processes: between 4 KiB and 8 KiB overhead changes from 120 ns to 4.90 us, "
              "availability from 0.92 to 0.02, the time from 1.50 us to 5.00 us: a protocol change");
    boundary.overhead_before_ns = boundary.overhead_after_ns = 0;
    EXPECT_EQ(sentence(boundary),
              "overlap.isend, 2 processes: between 4 KiB and 8 KiB availability changes from 0.92 to 0.02, "
              "the time "
              "from 1.50 us to 5.00 us: a protocol change")
        << "not what stays the same";
}

TEST(LogGpReason, NamesWhatIsMissing) {
    using enum analysis::LogGpInput;
    EXPECT_EQ(reason_of(analysis::LogGp{}), "");
    EXPECT_EQ(reason_of(analysis::LogGp{.procs = 2, .ranges = {}, .missing = {gap}}),
              "LogGP needs message-rate with 2 processes too");
    EXPECT_EQ(
        reason_of(analysis::LogGp{.procs = 2, .ranges = {}, .missing = {receive_overhead, one_way, gap}}),
        "LogGP needs the overhead of overlap.irecv, pingpong.isend_irecv and message-rate with 2 "
        "processes too");
}

TEST(LogGpReason, NamesWhatOnlyUnreliablePointsHave) {
    using enum analysis::LogGpInput;
    analysis::LogGp parameters{.procs = 2, .ranges = {}, .unreliable = {gap}};
    EXPECT_EQ(reason_of(parameters),
              "LogGP needs message-rate with 2 processes of undisturbed and precise points");
    parameters.missing = {one_way};
    EXPECT_EQ(reason_of(parameters),
              "LogGP needs pingpong.isend_irecv too, and message-rate with 2 processes of undisturbed and "
              "precise points");
}

TEST(LogGpReason, SaysThatARangeIsTooShort) {
    analysis::LogGpRange range;
    range.gap_sizes = 2;
    range.wire_sizes = 2;
    EXPECT_EQ(reason_of(range),
              "g and G need 3 sizes of message-rate, not 2; L needs 3 sizes with overheads and pingpong, not "
              "2");
    range.gap_sizes = 3;
    range.wire_sizes = 3;
    EXPECT_EQ(reason_of(range), "");
}

}  // namespace
}  // namespace fathom::report
