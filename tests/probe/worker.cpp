#include "probe/overlap/worker.hpp"

#include <gtest/gtest.h>

namespace fathom::probe {
namespace {

/// Advances by 100 ns per reading.
class GoingClock : public Clock {
  public:
    [[nodiscard]] Nanoseconds now() const override {
        constexpr std::int64_t step_ns = 100;
        return {time_ns += step_ns};
    }
    [[nodiscard]] std::string_view name() const override { return "going"; }

    mutable std::int64_t time_ns = 0;
};

TEST(WorkRate, GivesTheUnitsNearestToTheTime) {
    const WorkRate rate{.constant_ns = 10, .unit_ns = 4};
    EXPECT_EQ(rate.units_for({1'010}), 250);
    EXPECT_EQ(rate.units_for({1'011}), 250);
    EXPECT_EQ(rate.units_for({1'013}), 251);
}

TEST(WorkRate, GivesNoUnitsForLessThanTheConstant) {
    const WorkRate rate{.constant_ns = 10, .unit_ns = 4};
    EXPECT_EQ(rate.units_for({0}), 0);
    EXPECT_EQ(rate.units_for({10}), 0);
}

TEST(WorkRate, OfAConstantBelowNoneStillGivesWhatTheTimeIsWorth) {
    const WorkRate rate{.constant_ns = -6, .unit_ns = 2};
    EXPECT_EQ(rate.units_for({1'000}), 503);
}

TEST(RegisterWork, GoesOnUntilTheClockShowsTheTime) {
    GoingClock clock;
    const auto worker = make_register_work(clock);
    worker->work_until({5'000});
    EXPECT_EQ(clock.time_ns, 5'000) << "the reading that showed it is the last";
}

TEST(RegisterWork, DoesNothingForATimeThatIsOver) {
    GoingClock clock;
    clock.time_ns = 10'000;
    const auto worker = make_register_work(clock);
    worker->work_until({5'000});
    EXPECT_EQ(clock.time_ns, 10'100) << "one look";
}

TEST(MemoryWork, GoesOnUntilTheClockShowsTheTime) {
    GoingClock clock;
    const auto worker = make_memory_work(clock);
    worker->work(100);
    worker->work_until({5'000});
    EXPECT_EQ(clock.time_ns, 5'000);
}

}  // namespace
}  // namespace fathom::probe
