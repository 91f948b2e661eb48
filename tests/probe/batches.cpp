#include "probe/loops/batches.hpp"

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

/// What rank 0 delivers when rank r takes 100 + 10 r ns a call, 3 ns apart.
std::vector<SampleBlock> delivered(int ranks, std::int64_t reps) {
    Mail mail;
    std::vector<SampleBlock> blocks;
    fakes::on_all_ranks(ranks, mail, [&](FakeGroup& group) {
        FakeClock clock;
        FakeStart start(clock, 3);
        FakeOperation operation(clock, {100 + 10 * group.rank()});
        BatchEvents events;
        events.deliver = [&](SampleBlock block) {
            EXPECT_EQ(group.rank(), 0) << "only rank 0 delivers";
            blocks.push_back(std::move(block));
        };
        measure_in_batches(group, clock, start, operation, reps, events);
    });
    EXPECT_TRUE(mail.empty()) << "nothing is left unread";
    return blocks;
}

std::vector<Sample> expected(int rank, std::int64_t first_rep, std::int64_t count) {
    const std::int64_t duration = 100 + 10 * rank;
    std::vector<Sample> samples;
    for (auto rep = first_rep; rep < first_rep + count; ++rep) {
        samples.push_back({{rep * (duration + 3) + 3}, {duration}, true});
    }
    return samples;
}

TEST(Batches, DeliverEveryRankInOrderWithExactSamples) {
    const auto blocks = delivered(3, 150'000);
    ASSERT_EQ(blocks.size(), 9U);
    const std::array<std::int64_t, 3> counts{65'536, 65'536, 18'928};
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const auto& block = blocks[i];
        const auto batch = i / 3;
        EXPECT_EQ(block.rank, static_cast<int>(i % 3));
        EXPECT_EQ(block.first_rep, static_cast<std::int64_t>(batch) * 65'536);
        ASSERT_EQ(block.count, counts.at(batch));
        EXPECT_TRUE(journal::unpack_samples(block.data, block.count) ==
                    expected(block.rank, block.first_rep, block.count))
            << "rank " << block.rank << ", batch " << batch;
    }
}

TEST(Batches, OfFewRepetitionsAreOne) {
    const auto blocks = delivered(2, 5);
    ASSERT_EQ(blocks.size(), 2U);
    EXPECT_EQ(journal::unpack_samples(blocks[1].data, 5), expected(1, 0, 5));
}

TEST(Batches, HaveNoEmptyRest) {
    EXPECT_EQ(delivered(1, batch_reps).size(), 1U);
    const auto blocks = delivered(1, batch_reps + 1);
    ASSERT_EQ(blocks.size(), 2U);
    EXPECT_EQ(blocks[1].first_rep, batch_reps);
    EXPECT_EQ(blocks[1].count, 1);
}

TEST(Batches, OfNoRepetitionsDeliverNothing) {
    EXPECT_TRUE(delivered(2, 0).empty());
}

TEST(Batches, PauseAboutOnceASecondOnAllRanksAlike) {
    Mail mail;
    std::array<std::vector<std::int64_t>, 2> pauses;  // repetitions done at each pause, by rank
    std::array<std::int64_t, 2> delivered_reps{};
    fakes::on_all_ranks(2, mail, [&](FakeGroup& group) {
        FakeClock clock;
        FakeStart start(clock, 0);
        // The slower rank takes 1 ms a call: the rhythm is 10, 100, then 1000 repetitions, a second's worth.
        FakeOperation operation(clock, {group.rank() == 0 ? 1'000 : 1'000'000});
        BatchEvents events;
        events.deliver = [&](const SampleBlock& block) {
            delivered_reps.at(static_cast<std::size_t>(block.rank)) += block.count;
        };
        events.pause = [&](Nanoseconds per_rep) {
            EXPECT_EQ(per_rep.count, 1'000'000) << "the largest over ranks";
            clock.time_ns += 12'345;  // what a pause takes is not part of the rhythm
            pauses.at(static_cast<std::size_t>(group.rank()))
                .push_back(static_cast<std::int64_t>(operation.calls));
        };
        measure_in_batches(group, clock, start, operation, 2'500, events);
    });
    EXPECT_EQ(pauses[0], (std::vector<std::int64_t>{10, 110, 1'110, 2'110}));
    EXPECT_EQ(pauses[1], pauses[0]);
    EXPECT_EQ(delivered_reps, (std::array<std::int64_t, 2>{2'500, 2'500}));
}

}  // namespace
}  // namespace fathom::probe
