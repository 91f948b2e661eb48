#include <mutex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "probe/clock/system_clock.hpp"
#include "probe/fakes.hpp"
#include "probe/skewed_clock.hpp"
#include "probe/start/roundtime.hpp"
#include "probe/start/window.hpp"

namespace fathom::probe {
namespace {

using fakes::FakeClock;
using fakes::FakeGroup;
using fakes::Mail;
using fakes::SkewedClock;

/// A model that knows exactly that the global clock is the base clock.
clock::DriftModel exact_model(const SkewedClock& clock, Nanoseconds base_now) {
    clock::DriftModel model;
    for (const std::int64_t before : {3'000'000, 2'000'000, 1'000'000}) {
        const auto moment = base_now - Nanoseconds{before};
        const auto own = clock.at(moment);
        const auto offset = moment - own;
        model.add({.at = own, .offset = offset, .low = offset, .high = offset});
    }
    return model;
}

/// When, on the base clock, each of some ranks started each repetition, and whether it was in time.
struct Started {
    std::vector<std::vector<Nanoseconds>> times;
    int late = 0;
};

template <typename MakeStart>
Started started(int ranks, int reps, const MakeStart& make_start) {
    const MonotonicRaw base;
    const auto origin = base.now();
    Started found;
    found.times.resize(static_cast<std::size_t>(ranks));
    std::mutex mutex;
    Mail mail;
    fakes::on_all_ranks(ranks, mail, [&](FakeGroup& group) {
        const SkewedClock clock(base, origin, Nanoseconds{group.rank() * 10'000'000'000},
                                50.0 * group.rank());
        const auto model = exact_model(clock, origin);
        const auto start = make_start(group, clock, model);
        start->begin(reps);
        for (int rep = 0; rep < reps; ++rep) {
            const bool in_time = start->align();
            const auto now = base.now();
            const std::lock_guard lock(mutex);
            found.times[static_cast<std::size_t>(group.rank())].push_back(now);
            found.late += in_time ? 0 : 1;
        }
        start->adapt(0, reps);
    });
    return found;
}

/// Nobody starts before the common instant that all others knew of: with clocks 10 s apart a scheme that
/// ignored the model would be off by as much. No thread waits half of that, even on a busy machine.
void expect_together(const Started& found) {
    for (std::size_t rep = 0; rep < found.times[0].size(); ++rep) {
        for (const auto& rank : found.times) {
            EXPECT_LT(std::abs((rank[rep] - found.times[0][rep]).count), 5'000'000'000);
        }
    }
}

TEST(RoundTime, StartsRanksTogetherThoughTheirClocksDiffer) {
    expect_together(started(3, 10, [](Group& group, const Clock& clock, const clock::DriftModel& model) {
        return std::make_unique<RoundTime>(group, clock, model, Nanoseconds{0});
    }));
}

TEST(Window, StartsRanksTogetherThoughTheirClocksDiffer) {
    expect_together(started(3, 10, [](Group& group, const Clock& clock, const clock::DriftModel& model) {
        return std::make_unique<Window>(group, clock, model, Nanoseconds{2'000'000});
    }));
}

/// A clock that moves by itself when it is waited for.
class WaitedClock : public FakeClock {
  public:
    Nanoseconds wait_until(Nanoseconds time) const override {
        const_cast<WaitedClock*>(this)->time_ns = std::max(time_ns, time.count);
        return now();
    }
};

struct Alone {
    Mail mail;
    FakeGroup group{mail, 0, 1};
    WaitedClock clock;
    clock::DriftModel model;

    Alone() { model.set_shared(); }
};

TEST(Window, StartsAtTheBeginningOfEverySlot) {
    Alone alone;
    Window window(alone.group, alone.clock, alone.model, {10'000});
    window.begin(3);
    EXPECT_TRUE(window.align());
    const auto first = alone.clock.time_ns;
    alone.clock.time_ns += 4'000;
    EXPECT_TRUE(window.in_time({alone.clock.time_ns}));
    EXPECT_TRUE(window.align());
    EXPECT_EQ(alone.clock.time_ns, first + 10'000);
}

TEST(Window, SpoilsARepetitionThatOverrunsItsSlotAndTheNext) {
    Alone alone;
    Window window(alone.group, alone.clock, alone.model, {10'000});
    window.begin(3);
    EXPECT_TRUE(window.align());
    alone.clock.time_ns += 10'500;
    EXPECT_FALSE(window.in_time({alone.clock.time_ns})) << "not done when its slot ended";
    EXPECT_FALSE(window.align()) << "and late for the next";
    alone.clock.time_ns += 1'000;
    EXPECT_TRUE(window.align()) << "the one after is in time again";
}

TEST(Window, GrowsWithTooManyInvalidOnesAndStopsWithAnExplanation) {
    Alone alone;
    Window window(alone.group, alone.clock, alone.model, {10'000});
    const auto slot = [&] {
        window.begin(2);
        EXPECT_TRUE(window.align());
        const auto first = alone.clock.time_ns;
        EXPECT_TRUE(window.align());
        return alone.clock.time_ns - first;
    };
    window.adapt(5, 100);
    EXPECT_EQ(slot(), 10'000) << "a few are tolerated";
    window.adapt(6, 100);
    EXPECT_EQ(slot(), 15'000);
    EXPECT_THROW(
        {
            for (int i = 0; i < 100; ++i) {
                window.adapt(100, 100);
            }
        },
        NoCommonStart);
}

TEST(RoundTime, LearnsItsMargin) {
    Alone alone;
    RoundTime start(alone.group, alone.clock, alone.model, {0});
    const auto margin = [&] {  // how far ahead a start is announced
        const auto before = alone.clock.time_ns;
        EXPECT_TRUE(start.align());
        return alone.clock.time_ns - before;
    };
    const auto first = margin();
    for (int series = 0; series < 20; ++series) {
        for (int rep = 0; rep < 10; ++rep) {
            EXPECT_TRUE(start.align());
        }
        start.adapt(0, 10);
    }
    const auto last = margin();
    EXPECT_LT(last, first) << "nobody has to be told: nothing is under way";
    EXPECT_GE(last, 200);
}

TEST(RoundTime, TakesCallsOfSeconds) {
    Alone alone;
    RoundTime start(alone.group, alone.clock, alone.model, {20'000'000'000});
    for (int series = 0; series < 3; ++series) {
        EXPECT_TRUE(start.align());
        alone.clock.time_ns += 20'000'000'000;
        EXPECT_NO_THROW(start.adapt(0, 1));
    }
}

TEST(RoundTime, WaitsForRanksThatLeaveACallSecondsLater) {
    // The announcement reaches the second rank when it has left the call, 3 s after the first.
    Mail mail;
    fakes::on_all_ranks(2, mail, [&](FakeGroup& group) {
        WaitedClock clock;
        clock::DriftModel model;
        model.set_shared();
        RoundTime start(group, clock, model, {0});
        for (int series = 0; series < 2; ++series) {
            clock.time_ns = series * 1'000'000'000'000;  // all have left the calls before
            for (int rep = 0; rep < 3; ++rep) {
                const bool in_time = start.align();
                EXPECT_TRUE(in_time || series == 0 || group.rank() == 0);
                clock.time_ns += group.rank() == 0 ? 1'000 : 3'000'000'000;
            }
            EXPECT_NO_THROW(start.adapt(0, 3));
        }
    });
}

/// Two seconds pass before anything else happens.
class LeapingClock : public WaitedClock {
  public:
    [[nodiscard]] Nanoseconds now() const override {
        const_cast<LeapingClock*>(this)->time_ns += 2'000'000'000;
        return WaitedClock::now();
    }
};

TEST(RoundTime, StopsWithAnExplanationWhereMessagesTakeSeconds) {
    Alone alone;
    const LeapingClock clock;
    RoundTime start(alone.group, clock, alone.model, {0});
    EXPECT_FALSE(start.align());
    EXPECT_THROW(start.adapt(1, 1), NoCommonStart);
}

}  // namespace
}  // namespace fathom::probe
