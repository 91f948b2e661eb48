#include "probe/loops/point_loop.hpp"

#include <functional>
#include <memory>
#include <utility>

#include <gtest/gtest.h>

#include "journal/samples.hpp"
#include "probe/fakes.hpp"
#include "probe/run_loop.hpp"

namespace fathom::probe {
namespace {

using fakes::FakeClock;
using fakes::FakeGroup;
using fakes::FakeOperation;
using fakes::FakeStart;
using fakes::Mail;
using journal::Sample;
using journal::SampleBlock;

/// What a loop of several ranks did, as rank 0 saw it.
struct Ran {
    LoopResult result;
    std::vector<SampleBlock> blocks;
    std::vector<std::int64_t> pauses;  ///< repetitions made at each pause
    std::vector<std::int64_t> calls;   ///< mean time of a call reported there

    [[nodiscard]] std::vector<Sample> samples(int rank) const {
        std::vector<Sample> all;
        for (const auto& block : blocks) {
            if (block.rank == rank) {
                EXPECT_EQ(block.first_rep, static_cast<std::int64_t>(all.size()));
                const auto some = journal::unpack_samples(block.data, block.count);
                all.insert(all.end(), some.begin(), some.end());
            }
        }
        return all;
    }
};

/// Is late in every n-th repetition.
class LateStart : public FakeStart {
  public:
    LateStart(FakeClock& clock, std::int64_t every) : FakeStart(clock, 3), every_(every) {}
    bool align() override {
        FakeStart::align();
        return every_ == 0 || static_cast<std::int64_t>(aligned) % every_ != 0;
    }
    void adapt(std::int64_t invalid, std::int64_t count) override {
        told_invalid += invalid;
        told += count;
    }

    std::int64_t told_invalid = 0;
    std::int64_t told = 0;

  private:
    std::int64_t every_;
};

/// After 1,000 repetitions, it takes a millisecond.
class CarefulStart : public FakeStart {
  public:
    explicit CarefulStart(FakeClock& clock) : FakeStart(clock, 3), time_(clock) {}
    bool align() override {
        time_.time_ns += ahead_.count;
        return FakeStart::align();
    }
    void adapt(std::int64_t /*invalid*/, std::int64_t /*count*/) override {
        ahead_ = {aligned > 1'000 ? 1'000'000 : 0};
    }
    [[nodiscard]] Nanoseconds least_rep() const override { return ahead_; }

  private:
    FakeClock& time_;
    Nanoseconds ahead_{0};
};

TEST(PointLoop, KeepsToItsTimeThoughStartsBecomeSlow) {
    Mail mail;
    fakes::on_all_ranks(1, mail, [&](FakeGroup& group) {
        FakeClock clock;
        CarefulStart start(clock);
        FakeOperation operation(clock, {100});
        const auto rule = stats::fixed_rule(1'000'000);
        LoopEvents events;
        events.deliver = [](const SampleBlock&) {};
        constexpr Nanoseconds budget{20'000'000};
        PointLoop loop(group, clock, *rule, {.min_reps = 1, .max_reps = 1'000'000, .budget = budget}, {},
                       events);
        const auto result = run(loop, start, operation);
        EXPECT_EQ(result.end, LoopResult::End::budget);
        EXPECT_GT(start.aligned, 1'000U);
        EXPECT_LT(clock.time_ns, budget.count + 1'100'000) << "one repetition more";
    });
}

/// Rank r takes 100 + 10 r ns per call; the last rank is late every `late_every` repetitions.
Ran ran(int ranks, std::int64_t reps, std::int64_t late_every = 0, Nanoseconds budget = {INT64_MAX}) {
    Mail mail;
    Ran ran;
    fakes::on_all_ranks(ranks, mail, [&](FakeGroup& group) {
        FakeClock clock;
        LateStart start(clock, group.rank() == group.size() - 1 ? late_every : 0);
        FakeOperation operation(clock, {100 + 10 * group.rank()});
        const auto rule = stats::fixed_rule(reps);
        LoopEvents events;
        events.deliver = [&](SampleBlock block) {
            EXPECT_EQ(group.rank(), 0) << "only rank 0 delivers";
            ran.blocks.push_back(std::move(block));
        };
        events.pause = [&](Nanoseconds per_call) {
            if (group.rank() == 0) {
                ran.pauses.push_back(static_cast<std::int64_t>(operation.calls));
                ran.calls.push_back(per_call.count);
            }
        };
        PointLoop loop(group, clock, *rule, {.min_reps = reps, .max_reps = reps, .budget = budget}, {},
                       events);
        const auto result = run(loop, start, operation);
        EXPECT_EQ(start.told, result.reps);
        EXPECT_EQ(start.told_invalid, result.invalid) << "all ranks are told the same";
        if (group.rank() == 0) {
            ran.result = result;
        }
    });
    EXPECT_TRUE(mail.empty()) << "nothing is left unread";
    return ran;
}

TEST(PointLoop, KeepsEverySingleCallOfEveryRank) {
    const auto found = ran(3, 1000);
    EXPECT_EQ(found.result.reps, 1000);
    EXPECT_EQ(found.result.invalid, 0);
    EXPECT_EQ(found.result.end, LoopResult::End::goal);
    for (int rank = 0; rank < 3; ++rank) {
        const auto samples = found.samples(rank);
        ASSERT_EQ(samples.size(), 1000U);
        const std::int64_t duration = 100 + 10 * rank;
        for (std::int64_t rep = 0; rep < 1000; ++rep) {
            const auto& sample = samples[static_cast<std::size_t>(rep)];
            ASSERT_EQ(sample, (Sample{{rep * (duration + 3) + 3}, {duration}, true}));
        }
    }
}

TEST(PointLoop, DeliversInBatchesThatBoundItsMemory) {
    const auto found = ran(1, 150'000);
    std::vector<std::int64_t> counts;
    for (const auto& block : found.blocks) {
        counts.push_back(block.count);
    }
    EXPECT_EQ(counts, (std::vector<std::int64_t>{65'536, 65'536, 18'928}));
    EXPECT_EQ(found.samples(0).size(), 150'000U);
}

TEST(PointLoop, MakesAnotherRepetitionForEveryInvalidOne) {
    const auto found = ran(2, 100, 5);
    EXPECT_EQ(found.result.reps - found.result.invalid, 100);
    EXPECT_EQ(found.result.invalid, found.result.reps / 5);
    std::int64_t invalid = 0;
    const auto first = found.samples(0);
    const auto second = found.samples(1);
    for (std::size_t i = 0; i < first.size(); ++i) {
        EXPECT_EQ(first[i].valid, second[i].valid) << "invalid on one rank is invalid on all";
        invalid += first[i].valid ? 0 : 1;
    }
    EXPECT_EQ(invalid, found.result.invalid) << "they are kept";
}

TEST(PointLoop, EndsWhenItsTimeIsOver) {
    // 113 ns per repetition on the slower rank: the budget is seen after the series that exceeds it.
    const auto found = ran(2, 1'000'000, 0, {113 * 1000});
    EXPECT_EQ(found.result.end, LoopResult::End::budget);
    EXPECT_GE(found.result.reps, 1000);
    EXPECT_LE(found.result.reps, 1600);
    EXPECT_EQ(found.samples(1).size(), static_cast<std::size_t>(found.result.reps));
}

TEST(PointLoop, PausesAfterSeriesThatGrow) {
    const auto found = ran(2, 100);
    EXPECT_EQ(found.pauses, (std::vector<std::int64_t>{10, 20, 30, 45, 67}));
    for (const auto per_call : found.calls) {
        EXPECT_EQ(per_call, 110) << "the slower rank's call, without the wait for the start";
    }
}

TEST(PointLoop, MakesNoSeriesLongerThanItMay) {
    Mail mail;
    std::vector<std::size_t> pauses;
    fakes::on_all_ranks(1, mail, [&](FakeGroup& group) {
        FakeClock clock;
        FakeStart start(clock, 3);
        FakeOperation operation(clock, {100});
        const auto rule = stats::fixed_rule(30);
        LoopEvents events;
        events.deliver = [](const SampleBlock&) {};
        events.pause = [&](Nanoseconds) { pauses.push_back(operation.calls); };
        PointLoop loop(group, clock, *rule, {.min_reps = 30, .max_reps = 30, .most_in_series = 8}, {},
                       events);
        EXPECT_EQ(run(loop, start, operation).reps, 30);
    });
    EXPECT_EQ(pauses, (std::vector<std::size_t>{8, 16, 24}));
}

/// Ends after a number of times and records them.
class RememberingRule : public stats::StopRule {
  public:
    explicit RememberingRule(std::size_t enough) : enough_(enough) {}
    void add(std::span<const double> times) override { seen.insert(seen.end(), times.begin(), times.end()); }
    [[nodiscard]] bool reached() const override { return seen.size() >= enough_; }
    [[nodiscard]] std::string state() const override { return {}; }

    std::vector<double> seen;

  private:
    std::size_t enough_;
};

/// Times that the rule was given by ranks that take 100 + 10 r ns per call, and empty_ns + r for an empty
/// one.
std::vector<double> seen_by_the_rule(bool first_rank_only, std::int64_t empty_ns) {
    Mail mail;
    std::vector<double> seen;
    fakes::on_all_ranks(3, mail, [&](FakeGroup& group) {
        FakeClock clock;
        FakeStart start(clock, 0);
        FakeOperation operation(clock, {100 + 10 * group.rank()});
        RememberingRule rule(10);
        LoopEvents events;
        events.deliver = [](const SampleBlock& block) {
            for (const auto& sample : journal::unpack_samples(block.data, block.count)) {
                EXPECT_EQ(sample.duration.count, 100 + 10 * block.rank) << "samples stay as they were read";
            }
        };
        PointLoop loop(group, clock, rule, {.min_reps = 1, .max_reps = 10},
                       {.first_rank_only = first_rank_only, .empty = {empty_ns + group.rank()}}, events);
        run(loop, start, operation);
        if (group.rank() == 0) {
            seen = rule.seen;
        } else {
            EXPECT_EQ(rule.seen.size(), 10U) << "all ranks decide on the same";
        }
    });
    return seen;
}

TEST(PointLoop, GivesTheRuleTheSlowestRanksTimeWithoutAnEmptyRepetition) {
    EXPECT_EQ(seen_by_the_rule(false, 0), std::vector<double>(10, 118));
    EXPECT_EQ(seen_by_the_rule(false, 30), std::vector<double>(10, 88));
}

TEST(PointLoop, GivesTheRuleTheFirstRanksTimeWhereOnlyThatCounts) {
    EXPECT_EQ(seen_by_the_rule(true, 30), std::vector<double>(10, 70));
}

TEST(PointLoop, NeverCountsLessThanNothing) {
    EXPECT_EQ(seen_by_the_rule(false, 1'000), std::vector<double>(10, 0));
}

TEST(PointLoop, MakesWhatItMustBeforeItsBudgetCounts) {
    Mail mail;
    fakes::on_all_ranks(1, mail, [&](FakeGroup& group) {
        FakeClock clock;
        FakeStart start(clock, 0);
        FakeOperation operation(clock, {100});
        const auto rule = stats::fixed_rule(1'000'000);
        LoopEvents events;
        events.deliver = [](const SampleBlock&) {};
        PointLoop loop(group, clock, *rule,
                       {.min_reps = 1, .max_reps = 1'000'000, .budget = {1'000}, .before_budget = 700}, {},
                       events);
        const auto result = run(loop, start, operation);
        EXPECT_EQ(result.end, LoopResult::End::budget);
        EXPECT_GE(result.reps, 700);
        EXPECT_LT(result.reps, 1'200);
    });
}

/// How a loop ends whose rule is satisfied after 10 calls of 100 ns.
LoopResult with_least_time(Nanoseconds least, std::int64_t max_reps, Nanoseconds budget = {INT64_MAX}) {
    Mail mail;
    LoopResult result;
    fakes::on_all_ranks(1, mail, [&](FakeGroup& group) {
        FakeClock clock;
        FakeStart start(clock, 0);
        FakeOperation operation(clock, {100});
        RememberingRule rule(10);
        LoopEvents events;
        events.deliver = [](const SampleBlock&) {};
        PointLoop loop(group, clock, rule,
                       {.min_reps = 1, .max_reps = max_reps, .budget = budget, .least = least}, {}, events);
        result = run(loop, start, operation);
    });
    return result;
}

TEST(PointLoop, GoesOnForItsLeastTimeThoughTheRuleIsContent) {
    EXPECT_EQ(with_least_time({0}, 1'000'000).reps, 10);
    const auto longer = with_least_time({1'000'000}, 1'000'000);
    EXPECT_EQ(longer.end, LoopResult::End::goal);
    EXPECT_GT(longer.reps, 5'000);
}

TEST(PointLoop, HasReachedItsGoalThoughALimitCameBeforeTheLeastTime) {
    EXPECT_EQ(with_least_time({1'000'000'000}, 100).end, LoopResult::End::goal);
    EXPECT_EQ(with_least_time({1'000'000'000}, 100).reps, 100);
    EXPECT_EQ(with_least_time({1'000'000'000}, 1'000'000, {100'000}).end, LoopResult::End::goal);
    EXPECT_EQ(with_least_time({0}, 5).end, LoopResult::End::most_reps) << "the rule was not content";
}

/// A loop of one rank, with all that it needs.
struct OneRank {
    explicit OneRank(std::vector<std::int64_t> durations_ns, std::int64_t reps, LoopTimes times = {},
                     Nanoseconds budget = {INT64_MAX})
        : operation(clock, std::move(durations_ns)),
          rule(stats::fixed_rule(reps)),
          loop(group, clock, *rule, {.min_reps = reps, .max_reps = reps, .budget = budget}, times, events()) {
    }

    [[nodiscard]] LoopEvents events() {
        LoopEvents all;
        all.deliver = [this](SampleBlock block) { blocks.push_back(std::move(block)); };
        all.disturbed = [this](journal::Disturbance stretch) { disturbances.push_back(stretch); };
        all.waited = [this] { return waited(); };
        return all;
    }

    Mail mail;
    FakeGroup group{mail, 0, 1};
    FakeClock clock;
    FakeStart start{clock, 0};
    FakeOperation operation;
    std::unique_ptr<stats::StopRule> rule;
    std::vector<SampleBlock> blocks;
    std::vector<journal::Disturbance> disturbances;
    std::function<Nanoseconds()> waited = [] { return Nanoseconds{0}; };
    PointLoop loop;
};

TEST(PointLoop, DoesNotDareManyRepetitionsThatAreExpectedToBeLong) {
    for (const auto& [expected_ns, first] : {std::pair<std::int64_t, std::size_t>{1, 10},
                                             {200'000'000, 5},
                                             {600'000'000, 1},
                                             {3'600'000'000'000, 1}}) {
        OneRank one({50}, 1'000, {.expected = {expected_ns}});
        EXPECT_FALSE(one.loop.step(one.start, one.operation));
        EXPECT_EQ(one.operation.calls, first) << expected_ns;
    }
}

TEST(PointLoop, LearnsFromTheFirstSeriesHowLongRepetitionsAre) {
    OneRank one({250'000'000}, 1'000);
    one.loop.step(one.start, one.operation);
    EXPECT_EQ(one.operation.calls, 10U);
    one.loop.step(one.start, one.operation);
    EXPECT_EQ(one.operation.calls, 14U) << "four more take a second";
}

TEST(PointLoop, MayBeLeftBetweenTwoSeriesForAnother) {
    OneRank first({10, 20, 30}, 100);
    OneRank second({7}, 40);
    bool first_ended = false;
    bool second_ended = false;
    while (!first_ended || !second_ended) {
        if (!first_ended) {
            first_ended = first.loop.step(first.start, first.operation);
            first.loop.deliver();
        }
        if (!second_ended) {
            second_ended = second.loop.step(second.start, second.operation);
            second.loop.deliver();
        }
    }
    EXPECT_EQ(first.loop.result().reps, 100);
    EXPECT_EQ(second.loop.result().reps, 40);
    EXPECT_GT(first.blocks.size(), 3U);
    std::vector<Sample> samples;
    for (const auto& block : first.blocks) {
        EXPECT_EQ(block.first_rep, static_cast<std::int64_t>(samples.size()));
        const auto some = journal::unpack_samples(block.data, block.count);
        samples.insert(samples.end(), some.begin(), some.end());
    }
    ASSERT_EQ(samples.size(), 100U);
    for (std::size_t i = 0; i < samples.size(); ++i) {
        EXPECT_EQ(samples[i].duration.count, 10 + 10 * static_cast<std::int64_t>(i % 3));
    }
}

TEST(PointLoop, CountsOnlyItsOwnTimeAgainstTheBudget) {
    OneRank one({100}, 1'000'000, {}, {10'000});
    std::int64_t series = 0;
    while (!one.loop.step(one.start, one.operation)) {
        one.clock.time_ns += 1'000'000;  // another point is measured
        ++series;
    }
    EXPECT_GT(series, 3);
    EXPECT_EQ(one.loop.result().end, LoopResult::End::budget);
    EXPECT_GE(one.operation.calls, 100U);
    EXPECT_LE(one.operation.calls, 160U);
}

TEST(PointLoop, TellsTheMedianOfItsTimes) {
    OneRank one({300, 100, 200}, 99, {.empty = {30}});
    EXPECT_FALSE(one.loop.time()) << "of none there is none";
    run(one.loop, one.start, one.operation);
    const auto time = one.loop.time();
    ASSERT_TRUE(time);
    EXPECT_EQ(time->median, 170);
    EXPECT_LE(time->bounds.low, 170);
    EXPECT_GE(time->bounds.high, 170);
    EXPECT_GE(time->bounds.low, 70);
    EXPECT_LE(time->bounds.high, 270);
}

TEST(PointLoop, TellsTheMedianOfAnyNumberOfExactTimes) {
    OneRank one({300}, 1, {.exact = true});
    run(one.loop, one.start, one.operation);
    const auto time = one.loop.time();
    ASSERT_TRUE(time);
    EXPECT_EQ(time->median, 300);
    EXPECT_EQ(time->bounds.low, 300);
    EXPECT_EQ(time->bounds.high, 300);
}

TEST(PointLoop, TellsNoMedianOfTooFewTimes) {
    OneRank one({300}, 5);
    run(one.loop, one.start, one.operation);
    EXPECT_FALSE(one.loop.time());
}

TEST(PointLoop, LeavesInvalidRepetitionsOutOfItsMedian) {
    FakeClock clock;
    Mail mail;
    FakeGroup group(mail, 0, 1);
    LateStart start(clock, 3);
    FakeOperation operation(clock, {100, 100, 9'000});
    const auto rule = stats::fixed_rule(60);
    LoopEvents events;
    events.deliver = [](const SampleBlock&) {};
    PointLoop loop(group, clock, *rule, {.min_reps = 60, .max_reps = 60}, {}, events);
    run(loop, start, operation);
    EXPECT_GE(loop.result().invalid, 29);
    const auto time = loop.time();
    ASSERT_TRUE(time);
    EXPECT_EQ(time->median, 100);
    EXPECT_EQ(time->bounds.high, 100);
}

TEST(PointLoop, TellsWhenOthersHadTheProcessor) {
    // Series of 10, 10, 10 and 15 calls of 1 ms; it is preempted for 2 ms of the second one.
    OneRank one({1'000'000}, 45);
    one.waited = [&] { return Nanoseconds{one.operation.calls >= 15 ? 2'000'000 : 0}; };
    run(one.loop, one.start, one.operation);
    ASSERT_EQ(one.disturbances.size(), 1U);
    EXPECT_EQ(one.disturbances[0].rank, 0);
    EXPECT_EQ(one.disturbances[0].begin_ns, 10'000'000);
    EXPECT_EQ(one.disturbances[0].end_ns, 20'000'000);
    EXPECT_EQ(one.disturbances[0].waited_ns, 2'000'000);
}

TEST(PointLoop, SaysNothingOfWaitsThatDoNotMatter) {
    OneRank often({100'000'000}, 45);
    often.waited = [&] { return Nanoseconds{static_cast<std::int64_t>(often.operation.calls) * 1'500'000}; };
    run(often.loop, often.start, often.operation);
    EXPECT_TRUE(often.disturbances.empty()) << "1.5 % of the time";
    OneRank briefly({1'000}, 45);
    briefly.waited = [&] { return Nanoseconds{static_cast<std::int64_t>(briefly.operation.calls) * 500}; };
    run(briefly.loop, briefly.start, briefly.operation);
    EXPECT_TRUE(briefly.disturbances.empty()) << "much of the time, but microseconds";
}

TEST(PointLoop, TellsOfEveryRanksDisturbancesOnce) {
    Mail mail;
    std::vector<journal::Disturbance> told;
    fakes::on_all_ranks(3, mail, [&](FakeGroup& group) {
        FakeClock clock;
        FakeStart start(clock, 0);
        FakeOperation operation(clock, {1'000'000});
        const auto rule = stats::fixed_rule(20);
        LoopEvents events;
        events.deliver = [](const SampleBlock&) {};
        events.disturbed = [&](journal::Disturbance stretch) {
            EXPECT_EQ(group.rank(), 0) << "only rank 0 is told";
            told.push_back(stretch);
        };
        if (group.rank() > 0) {
            events.waited = [&] { return Nanoseconds{operation.calls >= 5 ? 1'000'000 * group.rank() : 0}; };
        }
        PointLoop loop(group, clock, *rule, {.min_reps = 20, .max_reps = 20}, {}, events);
        while (!loop.step(start, operation)) {
            loop.deliver();
        }
        loop.deliver();
    });
    EXPECT_TRUE(mail.empty());
    ASSERT_EQ(told.size(), 2U);
    EXPECT_EQ(told[0].rank, 1);
    EXPECT_EQ(told[0].waited_ns, 1'000'000);
    EXPECT_EQ(told[1].rank, 2);
    EXPECT_EQ(told[1].waited_ns, 2'000'000);
}

}  // namespace
}  // namespace fathom::probe
