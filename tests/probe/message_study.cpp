#include <algorithm>

#include <gtest/gtest.h>

#include "probe/overlap_fakes.hpp"

namespace fathom::probe {
namespace {

using fakes::FakeStudy;
using fakes::step_of;
using fakes::whole_of;

/// What is left besides the work where there is most of it.
std::int64_t overhead_of(const StudyResult& result, std::int64_t tests = 0) {
    const auto alone = step_of(result, Scheme::alone, 0);
    const auto longest = step_of(result, Scheme::work, tests, result.steps.at(alone).work.count);
    return whole_of(result, longest) - whole_of(result, alone);
}

TEST(MessageStudy, FindsTheOverheadOfATransferThatNeedsNoHost) {
    FakeStudy fake({.post_ns = 300, .transfer_ns = 100'000, .wait_ns = 200});
    const auto result = study_message(fake.bench(), fake.rules);
    EXPECT_EQ(overhead_of(result), 500);
    EXPECT_EQ(whole_of(result, 0), 100'500);
    EXPECT_GT(result.steps.at(step_of(result, Scheme::alone, 0)).work.count, 125'000);
    EXPECT_LT(overhead_of(result), 0.05 * 100'500);  // availability over 0.95
}

TEST(MessageStudy, FindsThatATransferInsideWaitLeavesNothing) {
    FakeStudy fake({.post_ns = 300, .transfer_ns = 100'000, .wait_ns = 200, .needs_host = true});
    const auto result = study_message(fake.bench(), fake.rules);
    EXPECT_EQ(overhead_of(result), whole_of(result, 0));  // availability 0
}

TEST(MessageStudy, HidesShortWorkBehindTheTransferAndLongWorkNot) {
    FakeStudy fake({.post_ns = 0, .transfer_ns = 100'000, .wait_ns = 0});
    const auto result = study_message(fake.bench(), fake.rules);
    const auto alone = step_of(result, Scheme::alone, 0);
    for (std::size_t step = 0; step < alone; ++step) {
        EXPECT_EQ(whole_of(result, step), std::max<std::int64_t>(100'000, result.steps[step].work.count));
    }
    EXPECT_GT(alone, 10U);  // steps enough to see the knee
    EXPECT_GT(whole_of(result, alone - 1), 175'000);
}

TEST(MessageStudy, MakesAllStepsInEveryRoundInOtherMemory) {
    FakeStudy fake({.post_ns = 300, .transfer_ns = 100'000, .wait_ns = 200});
    fake.rules.settings.tests = 4;
    const auto result = study_message(fake.bench(), fake.rules);
    EXPECT_EQ(fake.renewed, 6);
    std::map<std::pair<int, int>, int> made;
    for (const auto& sample : result.samples) {
        ++made[{sample.round, sample.step}];
    }
    EXPECT_EQ(made.size(), 6 * result.steps.size());
}

// What changes with time alone must not look like the work's doing.
TEST(MessageStudy, TakesStepsInAnotherOrderInEveryRound) {
    FakeStudy fake({.post_ns = 300, .transfer_ns = 100'000, .wait_ns = 200});
    const auto result = study_message(fake.bench(), fake.rules);
    std::vector<std::vector<int>> orders(6);
    for (const auto& sample : result.samples) {
        auto& order = orders.at(static_cast<std::size_t>(sample.round));
        if (order.empty() || order.back() != sample.step) {
            order.push_back(sample.step);
        }
    }
    EXPECT_TRUE(std::is_sorted(orders[0].begin(), orders[0].end()));
    for (std::size_t round = 1; round < orders.size(); ++round) {
        EXPECT_FALSE(std::is_sorted(orders[round].begin(), orders[round].end()));
        EXPECT_NE(orders[round], orders[round - 1]);
        // What is subtracted from each other is measured next to each other.
        const auto longest =
            std::find(orders[round].begin(), orders[round].end(), static_cast<int>(result.steps.size()) - 2);
        ASSERT_NE(longest, orders[round].end());
        EXPECT_EQ(*std::next(longest), *longest + 1);
    }
}

TEST(MessageStudy, AddsAVariantWithTests) {
    FakeStudy fake({.post_ns = 300, .transfer_ns = 100'000, .wait_ns = 200, .test_ns = 50});
    fake.rules.settings.tests = 4;
    const auto result = study_message(fake.bench(), fake.rules);
    // The last test finds it done at the latest.
    EXPECT_EQ(result.steps.back().tests, 4);
    const auto tested = static_cast<int>(result.steps.size()) - 1;
    const auto sample = std::find_if(result.samples.begin(), result.samples.end(),
                                     [&](const auto& one) { return one.step == tested; });
    ASSERT_NE(sample, result.samples.end());
    const auto made = sample->tests_made;
    EXPECT_GE(made, 2);
    EXPECT_EQ(overhead_of(result, 4), 500 + 50 * made);
}

TEST(MessageStudy, EndsAtTheWorkLimit) {
    FakeStudy fake({.post_ns = 300, .transfer_ns = 100'000'000, .wait_ns = 200});
    fake.rules.settings.work_limit_ms = 20;
    const auto result = study_message(fake.bench(), fake.rules);
    EXPECT_EQ(result.steps.at(step_of(result, Scheme::alone, 0)).work.count, 20'000'000);
}

TEST(MessageStudy, EndsWhereACallTakesNoTimeAtAll) {
    FakeStudy fake({});
    const auto result = study_message(fake.bench(), fake.rules);
    EXPECT_EQ(overhead_of(result), 0);
    EXPECT_EQ(whole_of(result, 0), 0);
}

TEST(MessageStudy, TellsTheThresholdsThatItUsed) {
    FakeStudy fake({.post_ns = 300, .transfer_ns = 100'000, .wait_ns = 200});
    auto result = study_message(fake.bench(), fake.rules);
    EXPECT_DOUBLE_EQ(result.tally.at("base_threshold"), 1.02);
    EXPECT_DOUBLE_EQ(result.tally.at("stop_threshold"), 1.75);
    EXPECT_DOUBLE_EQ(result.tally.at("work_unit_before_ns"), 1);
    fake.rules.settings.base_threshold = 1.04;
    fake.rules.settings.stop_threshold = 3;
    result = study_message(fake.bench(), fake.rules);
    EXPECT_DOUBLE_EQ(result.tally.at("base_threshold"), 1.04);
    EXPECT_GT(whole_of(result, step_of(result, Scheme::alone, 0) - 1), 3 * 100'500);
}

TEST(MessageStudy, SaysWhyItCannotBeMade) {
    FakeStudy fake({.post_ns = 300, .transfer_ns = 100'000, .wait_ns = 200});
    fake.refusal = "no memory";
    EXPECT_EQ(study_message(fake.bench(), fake.rules).failure, "no memory");
}

TEST(MessageStudy, SaysWhatWasWrongWithDataWhileThereWasWork) {
    FakeStudy fake({.post_ns = 300, .transfer_ns = 100'000, .wait_ns = 200});
    fake.exchange.wrong = "byte 3 is 7";
    EXPECT_EQ(study_message(fake.bench(), fake.rules).wrong, "byte 3 is 7");
}

TEST(MessageStudy, ChecksDataThatWereSent) {
    FakeStudy fake({.post_ns = 300, .transfer_ns = 100'000, .wait_ns = 200});
    for (const std::int64_t tests : {0, 4}) {
        fake.rules.settings.tests = tests;
        EXPECT_EQ(study_message(fake.bench(), fake.rules).wrong, "") << tests;
    }
}

}  // namespace
}  // namespace fathom::probe
