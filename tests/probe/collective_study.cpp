#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "probe/overlap_fakes.hpp"

namespace fathom::probe {
namespace {

using fakes::FakeStudy;
using fakes::step_of;
using fakes::whole_of;
using ::testing::ElementsAre;

/// Of all repetitions of a step, which are equal.
std::int64_t calls_of(const StudyResult& result, std::size_t step) {
    for (const auto& sample : result.samples) {
        if (sample.step == static_cast<int>(step)) {
            return (sample.post + sample.wait + sample.tests).count;
        }
    }
    return -1;
}

TEST(CollectiveStudy, FindsTheSameOverheadByTimeAndByWork) {
    FakeStudy fake({.post_ns = 400, .transfer_ns = 100'000, .wait_ns = 100});
    const auto result = study_collective(fake.bench(), fake.rules);
    const auto alone = step_of(result, Scheme::alone, 0);
    EXPECT_EQ(whole_of(result, alone), 100'500);  // as much work as it takes by itself
    EXPECT_EQ(whole_of(result, 0), 100'500);
    EXPECT_EQ(calls_of(result, step_of(result, Scheme::time, 0)), 500);
    EXPECT_EQ(whole_of(result, step_of(result, Scheme::work, 0)) - 100'500, 500);
}

TEST(CollectiveStudy, SeesAThiefByWorkOnly) {
    FakeStudy fake({.post_ns = 400, .transfer_ns = 100'000, .wait_ns = 100});
    fake.worker.slower_percent = 125;  // another program takes a fifth of the processor
    const auto result = study_collective(fake.bench(), fake.rules);
    EXPECT_EQ(calls_of(result, step_of(result, Scheme::time, 0)), 500);
    EXPECT_EQ(whole_of(result, step_of(result, Scheme::work, 0)), 100'500 * 125 / 100 + 500);
}

TEST(CollectiveStudy, FindsThatNothingGoesOnWithoutTheHost) {
    FakeStudy fake({.post_ns = 400, .transfer_ns = 100'000, .wait_ns = 100, .needs_host = true});
    const auto result = study_collective(fake.bench(), fake.rules);
    EXPECT_EQ(calls_of(result, step_of(result, Scheme::time, 0)), 100'500);
    EXPECT_EQ(whole_of(result, step_of(result, Scheme::work, 0)) - 100'500, 100'500);
}

std::vector<std::pair<std::int64_t, std::int64_t>> testings(const StudyResult& result) {
    std::vector<std::pair<std::int64_t, std::int64_t>> found;
    for (const auto& step : result.steps) {
        if (step.scheme == Scheme::time && step.tests > 0) {
            found.emplace_back(step.interval_bytes, step.tests);
        }
    }
    return found;
}

TEST(CollectiveStudy, HalvesTheIntervalOfTests) {
    FakeStudy fake({.transfer_ns = 1'000});
    EXPECT_THAT(testings(study_collective(fake.bench(), fake.rules)),
                ElementsAre(std::pair(1024, 2), std::pair(512, 3), std::pair(256, 5)));
    fake.rules.at_once = {1'000'000};
    const auto many = testings(study_collective(fake.bench(), fake.rules));
    EXPECT_EQ(many.size(), 7U);
    EXPECT_EQ(many.back(), (std::pair<std::int64_t, std::int64_t>(16, 65)));
}

// One test more than intervals, and a part of one counts as one.
TEST(CollectiveStudy, TakesTheIntervalsThatAreAskedFor) {
    FakeStudy fake({.transfer_ns = 1'000'000});
    fake.rules.settings.intervals = {"300", "1k", "4k"};
    EXPECT_THAT(testings(study_collective(fake.bench(), fake.rules)),
                ElementsAre(std::pair(300, 5), std::pair(1024, 2), std::pair(4096, 2)));
}

TEST(CollectiveStudy, TestsByNumberWhereThereAreNoBytes) {
    FakeStudy fake({.transfer_ns = 1'000});
    fake.rules.size = {0};
    EXPECT_THAT(testings(study_collective(fake.bench(), fake.rules)),
                ElementsAre(std::pair(0, 1), std::pair(0, 2), std::pair(0, 4), std::pair(0, 8)));
}

TEST(CollectiveStudy, WorksNoLongerThanTheLimit) {
    FakeStudy fake({.transfer_ns = 100'000'000});
    fake.rules.settings.work_limit_ms = 20;
    const auto result = study_collective(fake.bench(), fake.rules);
    EXPECT_EQ(whole_of(result, step_of(result, Scheme::alone, 0)), 20'000'000);
}

TEST(CollectiveStudy, MakesAllStepsInEveryRoundInOtherMemory) {
    FakeStudy fake({.transfer_ns = 1'000});
    const auto result = study_collective(fake.bench(), fake.rules);
    EXPECT_EQ(fake.renewed, 6);
    EXPECT_EQ(result.samples.size(), 6 * result.steps.size());
    EXPECT_EQ(result.wrong, "");
}

// Ranks of different speed: all do as much work as the fastest can do in that time.
TEST(CollectiveStudy, GivesAllRanksTheWorkOfTheFastest) {
    class Slow : public fakes::FakeWorker {
      public:
        Slow(fakes::FakeClock& clock, double unit_ns) : FakeWorker(clock), unit_ns_(unit_ns) {}
        WorkRate calibrate() override { return {.constant_ns = 0, .unit_ns = unit_ns_}; }

      private:
        double unit_ns_;
    };
    fakes::Mail mail;
    fakes::on_all_ranks(2, mail, [](fakes::FakeGroup& group) {
        fakes::FakeClock clock;
        Slow worker(clock, group.rank() == 0 ? 2 : 1);
        fakes::FakeExchange exchange(clock, {.transfer_ns = 1'000});
        const StudyBench bench{
            .group = group,
            .clock = clock,
            .worker = worker,
            .empty = {0},
            .resolution = {1},
            .global = [](Nanoseconds own) { return own; },
            .make_start = [&](Nanoseconds) { return std::make_unique<fakes::FakeStart>(clock, 100); },
            .renew = [&](StepLoop& loop) -> std::string {
                loop.use(exchange, exchange);
                return {};
            },
            .pause = {}};
        const StudyRules rules{.settings = {},
                               .size = {8},
                               .at_once = {1'000},
                               .budget = {1'000'000'000},
                               .rounds = 2,
                               .reps = {},
                               .simulated = true};
        const auto result = study_collective(bench, rules);
        EXPECT_EQ(result.steps.at(step_of(result, Scheme::alone, 0)).units, 1'000);
    });
}

}  // namespace
}  // namespace fathom::probe
