#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "probe/fakes.hpp"
#include "probe/interfaces/nonblocking.hpp"
#include "probe/overlap/study.hpp"
#include "probe/overlap/worker.hpp"

namespace fathom::probe::fakes {

/// The costs of a simulated transfer.
struct Transfer {
    std::int64_t post_ns = 0;      ///< of the host, when it is posted
    std::int64_t transfer_ns = 0;  ///< from then until all is there
    std::int64_t wait_ns = 0;      ///< of the host, when it is waited for
    std::int64_t test_ns = 0;      ///< of a test
    bool needs_host = false;       ///< progress only within wait()
};

/// A transfer on a fake clock.
class FakeExchange : public Operation, public Nonblocking {
  public:
    FakeExchange(FakeClock& clock, const Transfer& transfer) : clock_(clock), transfer_(transfer) {}

    void call() override {
        post();
        wait();
    }
    void next(std::int64_t /*rep*/) override { events += 'n'; }
    void prepare_check() override {
        events += 'c';
        came_ = false;
    }
    [[nodiscard]] std::string check() const override { return came_ ? wrong : "nothing came"; }
    void post() override {
        events += 'p';
        clock_.time_ns += transfer_.post_ns;
        ends_ns_ = clock_.time_ns + transfer_.transfer_ns;
    }
    bool test() override {
        events += 't';
        tested_at_ns.push_back(clock_.time_ns);
        clock_.time_ns += transfer_.test_ns;
        return !transfer_.needs_host && clock_.time_ns >= ends_ns_;
    }
    void wait() override {
        events += 'w';
        came_ = true;
        if (transfer_.needs_host) {
            clock_.time_ns += transfer_.transfer_ns;
        } else {
            clock_.time_ns = std::max(clock_.time_ns, ends_ns_);
        }
        clock_.time_ns += transfer_.wait_ns;
    }

    std::string events;
    std::string wrong;
    std::vector<std::int64_t> tested_at_ns;

  private:
    FakeClock& clock_;
    Transfer transfer_;
    std::int64_t ends_ns_ = 0;
    bool came_ = false;
};

/// Work of 1 ns per unit, and more if a share of the processor is taken away.
class FakeWorker : public Worker {
  public:
    explicit FakeWorker(FakeClock& clock) : clock_(clock) {}

    void work(std::int64_t units) override {
        worked += units;
        clock_.time_ns += units * slower_percent / 100;
    }
    void work_until(Nanoseconds time) override { clock_.time_ns = std::max(clock_.time_ns, time.count); }
    WorkRate calibrate() override { return {}; }

    std::int64_t slower_percent = 100;
    std::int64_t worked = 0;

  private:
    FakeClock& clock_;
};

/// A study of one rank with all of its surroundings.
struct FakeStudy {
    explicit FakeStudy(const Transfer& transfer) : exchange(clock, transfer) {
        rules.at_once = {transfer.post_ns + transfer.transfer_ns + transfer.wait_ns};
        rules.rounds = 6;
        rules.simulated = true;
        rules.settings.tests = 0;
    }

    [[nodiscard]] StudyBench bench() {
        return {
            .group = group,
            .clock = clock,
            .worker = worker,
            .empty = {0},
            .resolution = {1},
            .global = [](Nanoseconds own) { return own; },
            .make_start = [this](Nanoseconds /*longest*/) { return std::make_unique<FakeStart>(clock, 100); },
            .renew = [this](StepLoop& loop) -> std::string {
                ++renewed;
                loop.use(exchange, exchange);
                return refusal;
            },
            .pause = {}};
    }

    FakeClock clock;
    Mail mail;
    FakeGroup group{mail, 0, 1};
    FakeWorker worker{clock};
    FakeExchange exchange;
    StudyRules rules{.settings = {}, .size = {1024}, .at_once = {0}, .budget = {1'000'000'000}, .reps = {}};
    int renewed = 0;
    std::string refusal;
};

/// The common time of a step's repetitions; -1 if they differ or there are none.
inline std::int64_t whole_of(const StudyResult& result, std::size_t step) {
    std::int64_t found = -1;
    for (const auto& sample : result.samples) {
        if (sample.step == static_cast<int>(step)) {
            if (found >= 0 && found != sample.whole.count) {
                return -1;
            }
            found = sample.whole.count;
        }
    }
    return found;
}

/// The first step of a scheme with this many tests; npos if there is none.
inline std::size_t step_of(const StudyResult& result, Scheme scheme, std::int64_t tests,
                           std::int64_t least_work = 0) {
    const auto found = std::find_if(result.steps.begin(), result.steps.end(), [&](const Step& step) {
        return step.scheme == scheme && step.tests == tests && step.work.count >= least_work;
    });
    return found == result.steps.end() ? std::string::npos
                                       : static_cast<std::size_t>(found - result.steps.begin());
}

}  // namespace fathom::probe::fakes
