#include "probe/loops/counter_sampler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "probe/fakes.hpp"
#include "probe/loops/point_loop.hpp"
#include "probe/run_loop.hpp"
#include "probe/start/none.hpp"

namespace fathom::probe {
namespace {

using fakes::FakeClock;
using fakes::FakeGroup;
using fakes::FakeOperation;
using fakes::FakeStart;
using fakes::Mail;
using ::testing::IsEmpty;

/// A reading takes 10 ns of the rank, 100 ns of the network.
class FakeCounters : public Counters {
  public:
    explicit FakeCounters(FakeClock& clock) : clock_(clock) {}
    journal::Counts own() override {
        clock_.time_ns += 10;
        read_at.push_back(clock_.time_ns);
        journal::Counts counts;
        preempted += always ? 1 : 0;
        counts.preempted = preempted;
        return counts;
    }
    journal::Counts network() override {
        clock_.time_ns += 100;
        ++network_readings;
        journal::Counts counts;
        counts.tcp_timeouts = timeouts;
        return counts;
    }
    [[nodiscard]] Nanoseconds own_cost() const override { return {10}; }
    [[nodiscard]] Nanoseconds network_cost() const override { return {100}; }
    [[nodiscard]] Nanoseconds rto() const override { return {204}; }
    [[nodiscard]] Nanoseconds least_rto() const override { return {200}; }

    bool always = false;  ///< preempted between any two readings
    std::int64_t preempted = 0;
    std::int64_t timeouts = 0;
    std::int64_t network_readings = 0;
    std::vector<std::int64_t> read_at;

  private:
    FakeClock& clock_;
};

/// One rank with its clock, its counters and a sampler.
struct Bench {
    explicit Bench(bool network = false) : sampler(group, clock, counters, network) {}

    /// A repetition of this duration.
    bool repetition(std::int64_t ns) {
        clock.time_ns += ns;
        return sampler.after({clock.time_ns});
    }
    std::vector<journal::CountedStretch> told() {
        const auto block = sampler.take();
        return journal::unpack_evidence(block.data, block.count);
    }

    Mail mail;
    FakeGroup group{mail, 0, 1};
    FakeClock clock;
    FakeCounters counters{clock};
    CounterSampler sampler;
};

TEST(CounterSampler, ReadsSoRarelyThatItTakesAFiveHundredth) {
    Bench bench;
    bench.sampler.begin({50});
    const auto before = bench.counters.read_at.size();
    for (int i = 0; i < 1000; ++i) {
        bench.repetition(50);
    }
    // 500 x 10 ns are 100 repetitions of 50 ns.
    EXPECT_EQ(bench.counters.read_at.size() - before, 10U);
}

TEST(CounterSampler, KeepsOnlyStretchesInWhichSomethingHappened) {
    Bench bench;
    bench.sampler.begin({50});
    for (int i = 0; i < 250; ++i) {
        bench.counters.preempted += i == 120 ? 2 : 0;
        bench.repetition(50);
    }
    const auto told = bench.told();
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told[0].counts.preempted, 2);
    // From the reading after the 100th repetition to the end of that after the 200th; the first one took 10
    // ns.
    EXPECT_EQ(told[0].begin, Nanoseconds{10 + 100 * 50});
    EXPECT_EQ(told[0].end, Nanoseconds{10 + 200 * 50 + 20});
}

TEST(CounterSampler, EndsAStretchWithARepetitionThatIsLate) {
    Bench bench;
    bench.sampler.begin({50});
    for (int i = 0; i < 30; ++i) {
        bench.repetition(50);
    }
    bench.counters.preempted = 1;
    EXPECT_FALSE(bench.repetition(50 + 50 * 10 + 1)) << "others have not read";
    const auto end = bench.clock.time_ns;
    for (int i = 0; i < 30; ++i) {
        bench.repetition(50);
    }
    const auto told = bench.told();
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told[0].end, Nanoseconds{end}) << "before the next repetition";
}

TEST(CounterSampler, DoesNotMindARepetitionThatIsALittleSlow) {
    Bench bench;
    bench.sampler.begin({50});
    const auto before = bench.counters.read_at.size();
    bench.repetition(50 + 50 * 10);
    EXPECT_EQ(bench.counters.read_at.size(), before);
}

TEST(CounterSampler, ReadsTheNetworkOnlyForItsHostAndMoreRarely) {
    Bench other;
    other.sampler.begin({50});
    EXPECT_EQ(other.sampler.stretch(), INT64_MAX);
    EXPECT_EQ(other.counters.network_readings, 0);
    Bench bench(true);
    bench.sampler.begin({50});
    EXPECT_EQ(bench.sampler.stretch(), 1000) << "500 x 100 ns";
    EXPECT_EQ(bench.counters.network_readings, 1);
    bench.repetition(50 + 50 * 10 + 1);
    EXPECT_EQ(bench.counters.network_readings, 1) << "that is nothing beside 100 ns";
    bench.counters.timeouts = 1;
    bench.repetition(50 + 50 * 100 + 1);
    EXPECT_EQ(bench.counters.network_readings, 2);
}

TEST(CounterSampler, TellsWhatItTook) {
    Bench bench(true);
    bench.sampler.begin({50});
    for (int i = 0; i < 1000; ++i) {
        bench.repetition(50);
    }
    bench.sampler.end_stretch();
    const auto block = bench.sampler.take();
    EXPECT_EQ(block.rank, 0);
    EXPECT_TRUE(block.network);
    EXPECT_EQ(block.rto_ns, 204);
    EXPECT_EQ(block.rto_min_ns, 200);
    // One of each kind at the begin, ten and one on the way, one of each before it is reported.
    EXPECT_EQ(block.readings, 1 + 1 + 10 + 1 + 1 + 1);
    EXPECT_EQ(block.spent_ns, 12 * 10 + 3 * 100);
    EXPECT_EQ(block.measured_ns, bench.clock.time_ns - 110);
    EXPECT_EQ(bench.sampler.take().block, 1) << "blocks are numbered";
}

TEST(CounterSampler, DoesNotCountWhatHappensBetweenDeliveries) {
    Bench bench;
    bench.sampler.begin({50});
    bench.repetition(50);
    bench.told();
    bench.counters.preempted = 7;
    bench.sampler.begin({50});
    bench.repetition(50);
    EXPECT_THAT(bench.told(), IsEmpty());
}

/// What each rank reported, and the samples of rank 0.
struct WatchedRun {
    std::vector<journal::EvidenceBlock> blocks;
    std::vector<journal::Sample> samples;
    std::size_t calls = 0;
};

WatchedRun ran(bool with_counters, Start* other_start = nullptr) {
    WatchedRun ran;
    Mail mail;
    fakes::on_all_ranks(2, mail, [&](FakeGroup& group) {
        FakeClock clock;
        FakeCounters counters(clock);
        FakeStart waiting(clock, 3);
        Start& start = other_start != nullptr ? *other_start : waiting;
        FakeOperation operation(clock, {100});
        const auto rule = stats::fixed_rule(1000);
        LoopEvents events;
        events.deliver = [&](const journal::SampleBlock& block) {
            if (block.rank == 0) {
                ran.samples = journal::unpack_samples(block.data, block.count);
            }
        };
        events.counted = [&](const journal::EvidenceBlock& block) { ran.blocks.push_back(block); };
        PointLoop loop(group, clock, *rule, {.min_reps = 1000, .max_reps = 1000}, {}, events,
                       {.of = with_counters ? &counters : nullptr, .network = group.rank() == 1});
        run(loop, start, operation);
        if (group.rank() == 0) {
            ran.calls = operation.calls;
        }
    });
    EXPECT_TRUE(mail.empty()) << "nothing is left unread";
    return ran;
}

TEST(WatchedLoop, TellsOfEveryRankAndChangesNoTime) {
    const auto watched = ran(true);
    const auto plain = ran(false);
    EXPECT_THAT(plain.blocks, IsEmpty());
    ASSERT_EQ(watched.blocks.size(), 2U);
    EXPECT_FALSE(watched.blocks[0].network);
    EXPECT_TRUE(watched.blocks[1].network);
    EXPECT_GT(watched.blocks[0].readings, 0);
    ASSERT_EQ(watched.samples.size(), plain.samples.size());
    for (std::size_t i = 0; i < plain.samples.size(); ++i) {
        ASSERT_EQ(watched.samples[i].duration, plain.samples[i].duration);
    }
    EXPECT_EQ(watched.calls, 1000U) << "ranks that start together need no other call";
}

TEST(WatchedLoop, BringsRanksInStepAgainWhereOnlyTheOperationDoes) {
    NoStart none;
    EXPECT_GT(ran(true, &none).calls, ran(false, &none).calls);
}

TEST(CounterSampler, KnowsWhenItsRankWasPreemptedSinceTheLastBegin) {
    Bench bench;
    bench.sampler.begin({1'000'000});
    bench.repetition(1'000'000);
    bench.counters.preempted = 1;
    bench.repetition(1'000'000);
    const auto found = bench.sampler.preempted();
    ASSERT_EQ(found.size(), 1U);
    EXPECT_GT(found.front().begin.count, 900'000) << "not the first repetition";
    bench.sampler.begin({1'000'000});
    bench.repetition(1'000'000);
    EXPECT_THAT(bench.sampler.preempted(), IsEmpty());
}

/// Sees every time that a loop gives it, and never has enough.
class SeeingRule : public stats::StopRule {
  public:
    void add(std::span<const double> times) override { seen += times.size(); }
    [[nodiscard]] bool reached() const override { return false; }
    [[nodiscard]] std::string state() const override { return {}; }
    std::size_t seen = 0;
};

TEST(WatchedLoop, LeavesPreemptedRepetitionsToTheAnalysisIfSoAsked) {
    for (const bool leave_out : {false, true}) {
        Mail mail;
        fakes::on_all_ranks(2, mail, [&](FakeGroup& group) {
            FakeClock clock;
            FakeCounters counters(clock);
            FakeStart start(clock, 3);
            FakeOperation operation(clock, {1'000'000});
            SeeingRule rule;
            LoopEvents events;
            events.deliver = [](const journal::SampleBlock&) {};
            PointLoop loop(group, clock, rule,
                           {.min_reps = 1, .max_reps = 10, .leave_out_preempted = leave_out}, {}, events,
                           {.of = &counters, .network = false});
            counters.preempted = group.rank();  // once before the first reading, which is no event
            run(loop, start, operation);
            EXPECT_EQ(rule.seen, 10U);
            PointLoop again(group, clock, rule,
                            {.min_reps = 1, .max_reps = 10, .leave_out_preempted = leave_out}, {}, events,
                            {.of = &counters, .network = false});
            counters.always = group.rank() == 1;
            run(again, start, operation);
            EXPECT_EQ(rule.seen, leave_out ? 10U : 20U) << "preempted on one rank is left out on all";
        });
    }
}

}  // namespace
}  // namespace fathom::probe
