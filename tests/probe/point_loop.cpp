#include "probe/loops/point_loop.hpp"

#include <gtest/gtest.h>

#include "journal/samples.hpp"
#include "probe/fakes.hpp"

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
    std::vector<std::int64_t> calls;   ///< mean time of a call told there

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

/// Comes too late in every so-many-th repetition.
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

/// Rank r takes 100 + 10 r ns a call; the last rank is late every `late_every` repetitions.
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
        const auto result = loop.run(start, operation);
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
    // 113 ns a repetition on the slower rank: the budget is seen after the series that exceeds it.
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

}  // namespace
}  // namespace fathom::probe
