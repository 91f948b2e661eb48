#include "probe/overlap/step_loop.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "probe/overlap_fakes.hpp"

namespace fathom::probe {
namespace {

using fakes::FakeStudy;
using ::testing::ElementsAre;

journal::StudySample one(FakeStudy& fake, const Step& step, bool works = true) {
    StepLoop loop(fake.group, fake.clock, fake.worker, works);
    loop.use(fake.exchange, fake.exchange);
    fakes::FakeStart start(fake.clock, 100);
    loop.run(step, 3, 2, 1, start);
    return loop.samples().front();
}

TEST(StepLoop, TimesWorkAndCommunicationAsOne) {
    FakeStudy fake({.post_ns = 10, .transfer_ns = 1'000, .wait_ns = 5});
    const auto sample = one(fake, {.scheme = Scheme::work, .work = {400}, .units = 400});
    EXPECT_EQ(sample.step, 3);
    EXPECT_EQ(sample.round, 2);
    EXPECT_EQ(sample.start.count, 100);
    EXPECT_EQ(sample.whole.count, 1'015);
    EXPECT_EQ(sample.post.count + sample.wait.count + sample.tests.count, 0);
    EXPECT_EQ(fake.worker.worked, 400);
}

TEST(StepLoop, TimesThePartsOfAStepByTheClock) {
    FakeStudy fake({.post_ns = 10, .transfer_ns = 1'000, .wait_ns = 5});
    const auto sample = one(fake, {.scheme = Scheme::time, .work = {400}});
    EXPECT_EQ(sample.post.count, 10);
    EXPECT_EQ(sample.wait.count, 605);
    EXPECT_EQ(sample.whole.count, 1'015);
}

TEST(StepLoop, WorksAloneWithoutTouchingWhatCommunicates) {
    FakeStudy fake({.post_ns = 10, .transfer_ns = 1'000, .wait_ns = 5});
    const auto sample = one(fake, {.scheme = Scheme::alone, .work = {400}, .units = 400});
    EXPECT_EQ(sample.whole.count, 400);
    EXPECT_EQ(fake.exchange.events, "");
}

TEST(StepLoop, LeavesRanksThatOnlyHelpWithoutWork) {
    FakeStudy fake({.post_ns = 10, .transfer_ns = 1'000, .wait_ns = 5});
    const auto sample =
        one(fake, {.scheme = Scheme::work, .work = {4'000}, .units = 4'000, .tests = 3}, false);
    EXPECT_EQ(sample.whole.count, 1'015);
    EXPECT_EQ(fake.exchange.events, "npw");
}

// As in the source: of 3 tests one is before the work, one half-way, one after it.
TEST(StepLoop, SpreadsTestsEvenly) {
    FakeStudy by_work({.transfer_ns = 10'000});
    one(by_work, {.scheme = Scheme::work, .work = {400}, .units = 400, .tests = 3});
    EXPECT_THAT(by_work.exchange.tested_at_ns, ElementsAre(100, 300, 500));
    FakeStudy by_time({.transfer_ns = 10'000, .test_ns = 7});
    const auto sample = one(by_time, {.scheme = Scheme::time, .work = {400}, .tests = 3});
    EXPECT_THAT(by_time.exchange.tested_at_ns, ElementsAre(100, 300, 500));
    EXPECT_EQ(sample.tests.count, 21);
    EXPECT_EQ(sample.tests_made, 3);
}

TEST(StepLoop, MakesASingleTestBeforeTheWork) {
    FakeStudy fake({.transfer_ns = 10'000});
    one(fake, {.scheme = Scheme::work, .work = {400}, .units = 400, .tests = 1});
    EXPECT_THAT(fake.exchange.tested_at_ns, ElementsAre(100));
    EXPECT_EQ(fake.worker.worked, 400);
}

TEST(StepLoop, TestsNoMoreWhenAllIsThere) {
    FakeStudy fake({.transfer_ns = 150});
    const auto sample = one(fake, {.scheme = Scheme::work, .work = {400}, .units = 400, .tests = 5});
    EXPECT_THAT(fake.exchange.tested_at_ns, ElementsAre(100, 200, 300));
    EXPECT_EQ(sample.tests_made, 3);
    EXPECT_EQ(sample.whole.count, 400);
}

TEST(StepLoop, ChecksTheDataOfARepetitionWithWork) {
    FakeStudy fake({.transfer_ns = 150});
    StepLoop loop(fake.group, fake.clock, fake.worker, true);
    loop.use(fake.exchange, fake.exchange);
    fakes::FakeStart start(fake.clock, 100);
    const Step step{.scheme = Scheme::work, .work = {400}, .units = 400};
    EXPECT_EQ(loop.checked(step, start), "");
    EXPECT_EQ(fake.exchange.events, "ncpw");
    EXPECT_EQ(fake.worker.worked, 400);
    fake.exchange.wrong = "byte 3 is 7";
    EXPECT_EQ(loop.checked(step, start), "byte 3 is 7");
    EXPECT_TRUE(loop.samples().empty());
}

}  // namespace
}  // namespace fathom::probe
