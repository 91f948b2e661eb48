#include "probe/clock/keeper.hpp"

#include <gtest/gtest.h>

#include "base/test_support.hpp"
#include "journal/clock_link.hpp"
#include "probe/clock/system_clock.hpp"
#include "probe/fakes.hpp"
#include "probe/skewed_clock.hpp"

namespace fathom::probe {
namespace {

using fakes::FakeGroup;
using fakes::Mail;
using fakes::SkewedClock;

struct Kept {
    std::vector<journal::ClockSync> syncs;
    bool all_shared = false;
};

/// Three ranks synchronise this often; returns the content of the journal.
Kept kept(int times, std::int64_t identity) {
    const testing::TempFolder folder;
    const auto path = folder / "clock.journal";
    const MonotonicRaw base;
    Kept kept;
    Mail mail;
    fakes::on_all_ranks(3, mail, [&](FakeGroup& group) {
        std::unique_ptr<journal::Writer> journal;
        if (group.rank() == 0) {
            journal = std::make_unique<journal::Writer>(path);
        }
        const SkewedClock clock(base, {0}, Nanoseconds{identity == 0 ? group.rank() * 1'000'000 : 0}, 0);
        SyncRules rules;
        rules.pings.patience = 5;
        Synchroniser synchroniser(group, clock, {.host = 1, .identity = identity}, rules);
        ClockKeeper keeper(journal.get());
        for (int i = 0; i < times; ++i) {
            if (identity == 0) {
                keeper.synchronise_some(synchroniser, [](int rank) { return 10 * rank; });
            } else {
                keeper.synchronise(synchroniser);
            }
        }
        // With three offsets the line has an error of its own; the budget decides.
        EXPECT_FALSE(keeper.unsure(group, clock, {INT64_MAX}));
        if (identity == 0 && times < 3) {
            EXPECT_TRUE(keeper.unsure(group, clock, {0})) << "the drift limit allows for something";
        }
        if (group.rank() == 0) {
            kept.all_shared = keeper.all_shared();
        }
    });
    journal::Reader reader(path);
    while (const auto record = reader.next()) {
        kept.syncs.push_back(std::get<journal::ClockSync>(*record));
    }
    return kept;
}

TEST(ClockKeeper, TellsEveryRankOfEverySynchronisation) {
    const auto found = kept(2, 0);
    ASSERT_EQ(found.syncs.size(), 6U);
    for (int i = 0; i < 6; ++i) {
        const auto& sync = found.syncs[static_cast<std::size_t>(i)];
        EXPECT_EQ(sync.sync, i / 3);
        EXPECT_EQ(sync.rank, 10 * (i % 3)) << "the rank within the job";
        EXPECT_LE(sync.low_ns, (i % 3) * 1'000'000);
        EXPECT_GE(sync.high_ns, (i % 3) * 1'000'000) << "how far the rank is ahead of rank 0";
        EXPECT_EQ(sync.scheme, "hosts");
    }
    EXPECT_FALSE(found.all_shared);
}

TEST(ClockKeeper, IsNeverUnsureOfASharedClock) {
    const auto found = kept(1, 5);
    EXPECT_TRUE(found.all_shared);
    EXPECT_TRUE(found.syncs[2].shared);
    EXPECT_EQ(found.syncs[2].offset_ns, 0);
}

TEST(ClockKeeper, LearnsNothingOfAllRanksFromSome) {
    const testing::TempFolder folder;
    const MonotonicRaw clock;
    Mail mail;
    fakes::on_all_ranks(2, mail, [&](FakeGroup& group) {
        std::unique_ptr<journal::Writer> journal;
        if (group.rank() == 0) {
            journal = std::make_unique<journal::Writer>(folder / "clock.journal");
        }
        Synchroniser pair(group, clock, {.host = 1, .identity = 5}, {});
        ClockKeeper keeper(journal.get());
        keeper.synchronise_some(pair, [](int rank) { return 3 * rank; });
        EXPECT_FALSE(keeper.all_shared()) << "ranks 1 and 2 were not asked";
        EXPECT_EQ(keeper.model().uncertainty_ns(clock.now()), 0) << "but these two share a clock";
    });
}

}  // namespace
}  // namespace fathom::probe
