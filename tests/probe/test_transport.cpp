#include "probe/overlap/test_transport.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/test_support.hpp"
#include "probe/interfaces/nonblocking.hpp"

namespace fathom::probe {
namespace {

/// Jumps to the time it is asked to wait for.
class SleepingClock : public Clock {
  public:
    [[nodiscard]] Nanoseconds now() const override { return {time_ns}; }
    [[nodiscard]] std::string_view name() const override { return "sleeping"; }
    Nanoseconds wait_until(Nanoseconds time) const override {
        time_ns = std::max(time_ns, time.count);
        return now();
    }

    mutable std::int64_t time_ns = 0;
};

/// What was called, in order: n next, c prepare_check, p post, t test, w wait; a wait takes 500 ns.
class Told : public Operation, public Nonblocking {
  public:
    Told(std::string& events, SleepingClock& clock) : events_(events), clock_(clock) {}
    void call() override {
        post();
        wait();
    }
    void next(std::int64_t rep) override { events_ += fmt::format("n{}", rep); }
    void prepare_check() override { events_ += 'c'; }
    [[nodiscard]] std::string check() const override { return "byte 7"; }
    [[nodiscard]] std::int64_t cycle() const override { return 3; }
    [[nodiscard]] std::string datatype() const override { return "float"; }
    Tally take_tally() override { return {{"calls", 4}}; }
    [[nodiscard]] std::span<std::byte> received() override { return {&byte_, 1}; }
    void post() override { events_ += 'p'; }
    bool test() override {
        events_ += 't';
        return true;
    }
    void wait() override {
        constexpr std::int64_t transfer_ns = 500;
        clock_.time_ns += transfer_ns;
        events_ += 'w';
    }

  private:
    std::string& events_;
    SleepingClock& clock_;
    std::byte byte_{};
};

class KnownTransport : public ::testing::Test {
  protected:
    std::unique_ptr<Operation> make(TestTransport kind, Bytes size = {1'000}, bool works = true) {
        auto told = std::make_unique<Told>(events, clock);
        inner = told.get();
        return with_test_transport(kind, std::move(told), {.clock = clock, .size = size, .works = works});
    }
    static Nonblocking& exchange(Operation& operation) { return dynamic_cast<Nonblocking&>(operation); }

    SleepingClock clock;
    std::string events;
    Operation* inner = nullptr;
};

TEST_F(KnownTransport, InWaitDoesEverythingWithinTheWait) {
    const auto operation = make(TestTransport::in_wait);
    operation->next(5);
    exchange(*operation).post();
    EXPECT_FALSE(exchange(*operation).test());
    EXPECT_FALSE(exchange(*operation).test());
    EXPECT_EQ(events, "n5");
    exchange(*operation).wait();
    EXPECT_EQ(events, "n5pw");
    EXPECT_EQ(clock.time_ns, 500);
}

TEST_F(KnownTransport, InWaitLeavesARankAloneThatDoesNotWork) {
    const auto operation = make(TestTransport::in_wait, {1'000}, false);
    EXPECT_EQ(operation.get(), inner);
}

TEST_F(KnownTransport, UnaidedTakesItsMadeUpTimeFromThePostOn) {
    const auto operation = make(TestTransport::unaided, {2'000});
    operation->next(5);
    EXPECT_EQ(events, "n5pw") << "the true transfer comes before the timed part";
    clock.time_ns = 1'000;
    exchange(*operation).post();
    EXPECT_EQ(clock.time_ns, 1'000);
    clock.time_ns += 11'999;
    EXPECT_FALSE(exchange(*operation).test());
    exchange(*operation).wait();
    EXPECT_EQ(clock.time_ns, 1'000 + 12'000);
    EXPECT_TRUE(exchange(*operation).test());
    EXPECT_EQ(events, "n5pw") << "and nothing of it within";
}

TEST_F(KnownTransport, UnaidedCostsNoTimeOnceTheTransferIsOver) {
    const auto operation = make(TestTransport::unaided, {2'000});
    operation->next(0);
    exchange(*operation).post();
    clock.time_ns += 50'000;
    const auto before = clock.time_ns;
    exchange(*operation).wait();
    EXPECT_EQ(clock.time_ns, before);
}

TEST_F(KnownTransport, UnaidedChecksDataOfATrueTransfer) {
    const auto operation = make(TestTransport::unaided);
    operation->next(5);
    events.clear();
    operation->prepare_check();
    EXPECT_EQ(events, "n5c") << "made ready anew: the transfer of next() is over";
    operation->call();
    EXPECT_EQ(events, "n5cpw");
    operation->call();
    EXPECT_EQ(events, "n5cpw") << "the call after it is made up again";
}

TEST_F(KnownTransport, LeavesAllElseToTheOperation) {
    for (const auto kind : values_of<TestTransport>) {
        const auto operation = make(kind);
        EXPECT_EQ(operation->check(), "byte 7");
        EXPECT_EQ(operation->cycle(), 3);
        EXPECT_EQ(operation->datatype(), "float");
        EXPECT_EQ(operation->take_tally(), (Tally{{"calls", 4}}));
        EXPECT_EQ(operation->received().data(), inner->received().data());
    }
}

TEST(AskedTransport, IsTheOneThatTheEnvironmentNames) {
    EXPECT_EQ(asked_transport(), std::nullopt);
    ::setenv("FATHOM_TRANSPORT", "in-wait", 1);
    EXPECT_EQ(asked_transport(), TestTransport::in_wait);
    ::setenv("FATHOM_TRANSPORT", "magic", 1);
    EXPECT_EQ(fathom::testing::refusal_of([] { asked_transport(); }),
              "FATHOM_TRANSPORT is 'magic', neither in-wait nor unaided");
    ::unsetenv("FATHOM_TRANSPORT");
}

}  // namespace
}  // namespace fathom::probe
