#include "report/overlap_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "journal/json.hpp"
#include "report/json.hpp"
#include "report/overlap_json.hpp"
#include "store/sample_clock.hpp"
#include "store/sample_study.hpp"

namespace fathom::report {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::point_spec;
using testing::SampleMessage;
using testing::SampleStore;
using testing::SampleStudy;

/// A collective of two ranks with a t_b of 10 us; calls take `calls_ns` by both schemes, 800 ns with tests.
SampleStudy collective(std::int64_t calls_ns, std::int64_t stolen_ns = 0) {
    SampleStudy study;
    const int at_once = study.step(journal::StepScheme::at_once, 0);
    const int timed = study.step(journal::StepScheme::time, 10'000);
    const int worked = study.step(journal::StepScheme::work, 10'000);
    const int alone = study.step(journal::StepScheme::alone, 10'000);
    const int timed_3 = study.step(journal::StepScheme::time, 10'000, 3, 4096);
    const int worked_3 = study.step(journal::StepScheme::work, 10'000, 3, 4096);
    for (int round = 0; round < 6; ++round) {
        for (const int rank : {0, 1}) {
            study.whole(rank, at_once, round, 10'000);
            study.parts(rank, timed, round, 500, calls_ns - 500);
            study.whole(rank, worked, round, 10'000 + calls_ns + stolen_ns - 1'000 * rank);
            study.whole(rank, alone, round, 10'000);
            study.parts(rank, timed_3, round, 500, 200, 100, 3);
            study.whole(rank, worked_3, round, 10'800);
        }
    }
    return study;
}

/// A run with studies of both kinds, one of them with a progress thread too.
struct Studies {
    SampleStore sample{{point_spec(0, "overlap.isend", 4096), point_spec(1, "overlap.isend", 8192),
                        point_spec(2, "overlap.isend", 16'384), point_spec(3, "overlap.iallreduce", 8192),
                        with_thread(point_spec(4, "overlap.iallreduce", 8192))}};

    Studies() {
        const std::vector<journal::ClockSync> syncs{testing::sync_of(0, 0, 0, 0, 0),
                                                    testing::sync_of(0, 1, 0, 0, 0)};
        sample.store.put(sample.job, syncs);
        SampleMessage{.tests = 8}.study().put(sample, 0);
        SampleMessage{.base_ns = 40'000, .transfer_ns = 40'000, .overhead_ns = 40'000, .tests = 8}
            .study()
            .put(sample, 1);
        SampleMessage{.last_tenth = 9}.study().put(sample, 2);
        collective(9'900).put(sample, 3);
        collective(1'000, 2'000).put(sample, 4);
    }
    static plan::PointSpec with_thread(plan::PointSpec spec) {
        spec.key.progress = "thread";
        return spec;
    }
    [[nodiscard]] analysis::RunResult result() const {
        return analysis::evaluate(sample.store, sample.store.find_run("last"));
    }
};

TEST(OverlapText, ShowsATableForEachOperation) {
    const auto text = overlap_text(Studies().result(), {});
    EXPECT_THAT(text, HasSubstr(R"(
overlap.isend, 2 processes: post, work, wait; overhead is the time that remains besides the work
 bytes     base  overhead     95% interval  availability    95% interval  8 tests: overhead  availability
 4 KiB  10.0 us   1.00 us  1.00 .. 1.00 us         0.900  0.900 .. 0.900            1.08 us         0.892
 8 KiB  40.0 us   40.0 us  40.0 .. 40.0 us         0.000  0.000 .. 0.000            40.1 us        -0.002  availability is not distinguishable from none
16 KiB  10.0 us  no overhead: the work limit was reached)"));
    EXPECT_THAT(text,
                AllOf(HasSubstr("thread: by time  by work"), HasSubstr("1.00 us  3.00 us  15.4 +- 0.0 %\n")));
    EXPECT_THAT(text, AllOf(HasSubstr("  from 4 KiB on: goes on without help: availability 0.900"),
                            HasSubstr("  from 8 KiB on: does not overlap at all: availability 0.000"),
                            HasSubstr("needs the program's calls: availability 0.010"),
                            HasSubstr("a progress thread helps: availability 0.700")));
    EXPECT_THAT(text, HasSubstr("  8 KiB: 0.010 on rank 0 to 0.110 on rank 1\n"));
    EXPECT_THAT(text, HasSubstr("between 4 KiB and 8 KiB overhead changes from 1.00 us to 40.0 us"));
    EXPECT_THAT(text, HasSubstr("\nLogGP needs the overhead of overlap.irecv, pingpong.isend_irecv and "
                                "message-rate with 2 processes too.\n"));
    EXPECT_THAT(text, HasSubstr("  Times up to 1.02 times the base count as base; the work grows until a "
                                "time reaches 1.75 times the "
                                "base.\n"));
    EXPECT_THAT(text, Not(HasSubstr("The curve")));
}

TEST(OverlapText, MakesNoVerdictOfStudiesThatWereDisturbed) {
    auto result = Studies().result();
    for (const auto place : {std::size_t{0}, std::size_t{3}}) {
        result.points[place].warnings.push_back({analysis::Disturbed{}});
    }
    const auto text = overlap_text(result, {});
    EXPECT_THAT(text,
                AllOf(HasSubstr("  from 8 KiB on: does not overlap at all: availability 0.000"),
                      HasSubstr("\n  1 point is left out: disturbed, imprecise, or with"),
                      Not(HasSubstr("goes on without help")), Not(HasSubstr("needs the program's calls")),
                      Not(HasSubstr("0.010 on rank 0 to"))));
}

TEST(OverlapJson, TellsWhyAStudyCannotBeReliedOn) {
    auto result = Studies().result();
    EXPECT_TRUE(overlap_json(result.points[0]).at("doubt").is_null());
    result.points[0].warnings.push_back({analysis::Disturbed{}});
    EXPECT_EQ(overlap_json(result.points[0]).at("doubt"), "disturbed");
    result.points[3].quality = analysis::Quality::imprecise;
    EXPECT_EQ(overlap_json(result.points[3]).at("doubt"), "imprecise");
    result.points[1].overlap->message->plain.availability->value = -20.18;
    EXPECT_EQ(overlap_json(result.points[1]).at("doubt"), "out-of-range");
}

TEST(OverlapText, ShowsAllOfASinglePoint) {
    auto result = Studies().result();
    auto messages = result;
    messages.points = {result.points[0]};
    EXPECT_THAT(overlap_text(messages, {}),
                AllOf(HasSubstr("The curve: iterations of post, work, wait on rank 0"),
                      HasSubstr("24.0 us    25.0 us  25.0 .. 25.0 us\n"),
                      HasSubstr("the largest work alone takes 24.0 us; up to 9.00 us of work hide behind the "
                                "message; the transfer takes 12.0 us\n"),
                      HasSubstr("Iteration against work\n")));
    auto collectives = result;
    collectives.points = {result.points[3]};
    EXPECT_THAT(overlap_text(collectives, {}),
                AllOf(HasSubstr("3 (every 4 KiB)"), HasSubstr("Ranks, without tests")));
}

TEST(OverlapText, SaysOnceWhatIsTrueOfAllSizes) {
    SampleStore sample({point_spec(0, "overlap.ibcast", 8), point_spec(1, "overlap.ibcast", 16)});
    for (const int position : {0, 1}) {
        sample.put(position, {testing::block_of(0, 0, testing::samples_of({1, 2, 3, 4, 5, 6}))});
    }
    EXPECT_EQ(overlap_text(analysis::evaluate(sample.store, sample.store.find_run("last")), {}),
              "\noverlap.ibcast, 2 processes: no study is stored for this point\n");
}

TEST(OverlapText, NamesTheParametersOfLogGp) {
    const auto figure = [](double value, double reach) {
        return stats::Reduced{.value = value,
                              .ci95 = stats::Interval{.low = value - reach, .high = value + reach}};
    };
    analysis::RunResult result;
    result.loggp = {{.procs = 2,
                     .ranges = {{.from = {1},
                                 .to = {4096},
                                 .latency_ns = figure(2'000, 10),
                                 .send_overhead_ns = figure(400, 5),
                                 .receive_overhead_ns = figure(500, 5),
                                 .gap_ns = figure(300, 2),
                                 .gap_per_byte_ns = figure(0.1, 0.01),
                                 .gap_sizes = 3,
                                 .wire_sizes = 3},
                                {.from = {8192},
                                 .to = {8192},
                                 .latency_ns = {},
                                 .send_overhead_ns = {},
                                 .receive_overhead_ns = {},
                                 .gap_ns = {},
                                 .gap_per_byte_ns = {},
                                 .gap_sizes = 1,
                                 .wire_sizes = 3}},
                     .missing = {}}};
    EXPECT_EQ(overlap_text(result, {}), R"(
LogGP, 2 processes: latency, overheads (median over sizes), gap, with 95% intervals
 from     to                          L                     o_s                     o_r                       g              G by byte
  1 B  4 KiB  2.00 us (1.99 .. 2.01 us)  400 ns (395 .. 405 ns)  500 ns (495 .. 505 ns)  300 ns (298 .. 302 ns)  0.1 ns (0.09 .. 0.11)
8 KiB  8 KiB                          -                       -                       -                       -                      -  g and G need 3 sizes of message-rate, not 1
)");
}

TEST(OverlapText, IsNothingWithoutStudies) {
    SampleStore sample({point_spec(0, "bcast", 8)});
    EXPECT_EQ(overlap_text(analysis::evaluate(sample.store, sample.store.find_run("last")), {}), "");
}

TEST(OverlapJson, HasTheFiguresOfAMessageWithTheirUnits) {
    const Studies run;
    const auto json = run_json(run.sample.store, run.result());
    const auto& point = json.at("points").at(0);
    EXPECT_EQ(point.at("progress"), "");
    const auto& overlap = point.at("overlap");
    EXPECT_EQ(overlap.at("base_ns"), 10'000);
    EXPECT_EQ(overlap.at("base_ci95_ns"), nlohmann::ordered_json::array({10'000.0, 10'000.0}));
    EXPECT_EQ(overlap.at("transfer_ns"), 12'000);
    EXPECT_EQ(overlap.at("overhead_ns"), 1'000);
    EXPECT_DOUBLE_EQ(overlap.at("availability").get<double>(), 0.9);
    EXPECT_EQ(overlap.at("availability_ci95").size(), 2U);
    EXPECT_EQ(overlap.at("base_threshold"), 1.02);
    EXPECT_EQ(overlap.at("stop_threshold"), 1.75);
    EXPECT_EQ(overlap.at("work_alone_ns"), 24'000);
    EXPECT_EQ(overlap.at("curve").size(), 21U);
    EXPECT_EQ(overlap.at("curve").at(20).at("work_ns"), 24'000);
    EXPECT_EQ(overlap.at("curve").at(20).at("iteration_ns"), 25'000);
    EXPECT_TRUE(overlap.at("curve").at(20).contains("iteration_ci95_ns"));
    EXPECT_EQ(overlap.at("with_tests").at("tests"), 8);
    EXPECT_EQ(overlap.at("with_tests").at("overhead_ns"), 1'080);
    EXPECT_EQ(overlap.at("reason"), "");
    const auto& without = json.at("points").at(2).at("overlap");
    EXPECT_TRUE(without.at("overhead_ns").is_null());
    EXPECT_THAT(without.at("reason").get<std::string>(), HasSubstr("work limit"));
    EXPECT_EQ(json.at("overlap_findings").at(0).at("below_bytes"), 4096);
    EXPECT_THAT(json.at("loggp").at(0).at("reason").get<std::string>(), HasSubstr("LogGP needs"));
}

TEST(OverlapJson, HasBothSchemesOfACollective) {
    const Studies run;
    const auto json = run_json(run.sample.store, run.result());
    const auto& threaded = json.at("points").at(4);
    EXPECT_EQ(threaded.at("progress"), "thread");
    const auto& overlap = threaded.at("overlap");
    EXPECT_EQ(overlap.at("t_b_ns"), 10'000);
    EXPECT_EQ(overlap.at("time_based").at("overhead_ns"), 1'000);
    EXPECT_EQ(overlap.at("work_based").at("overhead_ns"), 3'000);
    EXPECT_DOUBLE_EQ(overlap.at("work_based").at("availability").get<double>(), 0.7);
    EXPECT_EQ(overlap.at("difference_ns"), 2'000);
    EXPECT_DOUBLE_EQ(overlap.at("stolen_share").get<double>(), 2'000.0 / 13'000);
    EXPECT_EQ(overlap.at("intervals").at(0).at("interval_bytes"), 4096);
    EXPECT_EQ(overlap.at("intervals").at(0).at("work_based_overhead_ns"), 800);
    EXPECT_EQ(overlap.at("best_interval_bytes"), 4096);
    EXPECT_EQ(overlap.at("best_tests"), 3);
    EXPECT_EQ(overlap.at("ranks").at(1).at("own_time_ns"), 10'000);
    EXPECT_DOUBLE_EQ(overlap.at("ranks").at(1).at("overlap_share").get<double>(), 0.8);
}

}  // namespace
}  // namespace fathom::report
