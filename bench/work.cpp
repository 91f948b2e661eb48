// How accurately work takes the requested time: within 1 % for 1 us and more (10 us through memory) on a
// processor that does nothing else. `off_percent` is the median against the request, `off_90_percent` what
// nine of ten are within; times of single calls are corrected for reading the clock, as in measurements.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <ctime>
#include <memory>
#include <sched.h>
#include <thread>
#include <vector>

#include <benchmark/benchmark.h>

#include "probe/loops/timed_loop.hpp"
#include "probe/overlap/worker.hpp"
#include "usual_clock.hpp"

namespace {

using namespace fathom;

enum Kind : std::int64_t { registers, memory };

std::unique_ptr<probe::Worker> worker_of(std::int64_t kind, const probe::Clock& clock) {
    return kind == memory ? probe::make_memory_work(clock) : probe::make_register_work(clock);
}

double quantile(std::vector<double> values, double q) {
    const auto at = static_cast<std::ptrdiff_t>(q * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), values.begin() + at, values.end());
    return values[static_cast<std::size_t>(at)];
}

/// Runs on one processor of those allowed, and on all of them again afterwards.
class Bound {
  public:
    Bound() {
        sched_getaffinity(0, sizeof before_, &before_);
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(static_cast<std::size_t>(sched_getcpu()), &one);
        sched_setaffinity(0, sizeof one, &one);
    }
    Bound(const Bound&) = delete;
    Bound& operator=(const Bound&) = delete;
    ~Bound() { sched_setaffinity(0, sizeof before_, &before_); }

  private:
    cpu_set_t before_{};
};

/// Takes 100 us of every 500 us from other threads on the same processor.
class Thief {
  public:
    Thief() : thread_([this] { steal(); }) {}
    Thief(const Thief&) = delete;
    Thief& operator=(const Thief&) = delete;
    ~Thief() {
        ended_ = true;
        thread_.join();
    }

  private:
    void steal() const {
        auto next = std::chrono::steady_clock::now();
        while (!ended_) {
            timespec begin{};
            timespec now{};
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
            do {
                clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
            } while ((now.tv_sec - begin.tv_sec) * 1'000'000'000 + now.tv_nsec - begin.tv_nsec < 100'000);
            next += std::chrono::microseconds(500);
            std::this_thread::sleep_until(next);
        }
    }

    std::atomic<bool> ended_ = false;
    std::thread thread_;
};

void work(benchmark::State& state) {
    const Bound bound;
    const auto clock = bench::usual_clock();
    const auto worker = worker_of(state.range(0), *clock);
    const auto rate = worker->calibrate();
    const auto empty = static_cast<double>(probe::empty_repetition(*clock).count);
    const auto units = rate.units_for({state.range(1)});
    const auto asked = static_cast<double>(state.range(1));
    std::vector<double> off;
    for (auto _ : state) {
        const auto begin = clock->now();
        worker->work(units);
        const auto time = static_cast<double>((clock->now() - begin).count) - empty;
        off.push_back(100 * (time / asked - 1));
    }
    state.counters["off_percent"] = quantile(off, 0.5);
    std::ranges::transform(off, off.begin(), [](double value) { return std::abs(value); });
    state.counters["off_90_percent"] = quantile(off, 0.9);
    state.counters["unit_ns"] = rate.unit_ns;
    state.counters["constant_ns"] = rate.constant_ns;
}
BENCHMARK(work)
    ->ArgNames({"memory", "ns"})
    ->ArgsProduct({{registers, memory}, {1'000, 10'000, 100'000, 1'000'000}})
    ->Iterations(2'000)
    ->Unit(benchmark::kMicrosecond);

/// By how much work overruns the requested end.
void work_until(benchmark::State& state) {
    const Bound bound;
    const auto clock = bench::usual_clock();
    const auto worker = worker_of(state.range(0), *clock);
    worker->calibrate();
    const auto empty = static_cast<double>(probe::empty_repetition(*clock).count);
    std::vector<double> late;
    for (auto _ : state) {
        const auto begin = clock->now();
        const Nanoseconds end{begin.count + state.range(1)};
        worker->work_until(end);
        late.push_back(static_cast<double>((clock->now() - end).count) - empty);
    }
    state.counters["late_ns"] = quantile(late, 0.5);
    state.counters["late_90_ns"] = quantile(late, 0.9);
}
BENCHMARK(work_until)
    ->ArgNames({"memory", "ns"})
    ->ArgsProduct({{registers, memory}, {1'000, 100'000}})
    ->Iterations(2'000)
    ->Unit(benchmark::kMicrosecond);

/// How much a thief with a fifth of the processor changes the calibrated unit.
void calibration_beside_a_thief(benchmark::State& state) {
    const Bound bound;
    const auto clock = bench::usual_clock();
    const auto worker = worker_of(state.range(0), *clock);
    std::vector<double> alone;
    std::vector<double> robbed;
    for (auto _ : state) {
        alone.push_back(worker->calibrate().unit_ns);
        const Thief thief;
        robbed.push_back(worker->calibrate().unit_ns);
    }
    const double truth = quantile(alone, 0.5);
    state.counters["off_percent"] = 100 * (quantile(robbed, 0.5) / truth - 1);
    state.counters["worst_percent"] = 100 * (quantile(robbed, 1) / truth - 1);
    state.counters["alone_worst_percent"] = 100 * (quantile(alone, 1) / truth - 1);
}
BENCHMARK(calibration_beside_a_thief)
    ->ArgNames({"memory"})
    ->Arg(registers)
    ->Arg(memory)
    ->Iterations(50)
    ->Unit(benchmark::kMillisecond);

}  // namespace
