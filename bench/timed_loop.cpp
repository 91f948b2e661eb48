// The cost of one timed empty repetition: time stamp, call, time stamp, store into the sample buffer. This is
// the most that the engine adds to every measured time; the target is under 100 ns.
#include "probe/loops/timed_loop.hpp"

#include <vector>

#include <benchmark/benchmark.h>

#include "probe/start/none.hpp"
#include "usual_clock.hpp"

namespace {

using namespace fathom;

class EmptyOperation : public probe::Operation {
  public:
    void call() override {}
    void prepare_check() override {}
    [[nodiscard]] std::string check() const override { return {}; }
};

void empty_repetition(benchmark::State& state) {
    constexpr std::int64_t reps = 10'000;
    const auto clock = bench::usual_clock();
    probe::NoStart start;
    EmptyOperation operation;
    std::vector<journal::Sample> samples;
    samples.reserve(reps);
    for (auto _ : state) {
        samples.clear();
        probe::run_timed(*clock, start, operation, 0, reps, samples);
        benchmark::DoNotOptimize(samples.data());
    }
    state.SetItemsProcessed(state.iterations() * reps);
    state.counters["per_repetition"] =
        benchmark::Counter(static_cast<double>(state.iterations() * reps),
                           benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(empty_repetition);

void clock_reading(benchmark::State& state) {
    const auto clock = bench::usual_clock();
    for (auto _ : state) {
        benchmark::DoNotOptimize(clock->now());
    }
}
BENCHMARK(clock_reading);

void packing_samples(benchmark::State& state) {
    std::vector<journal::Sample> samples;
    for (std::int64_t i = 0; i < 65'536; ++i) {
        samples.push_back(
            {.start = {i * 1000 + i * i % 97}, .duration = {400 + i * 7919 % 50}, .valid = true});
    }
    std::size_t bytes = 0;
    for (auto _ : state) {
        const auto packed = journal::pack_samples(samples);
        bytes = packed.size();
        benchmark::DoNotOptimize(packed.data());
    }
    state.counters["bytes_per_sample"] = static_cast<double>(bytes) / static_cast<double>(samples.size());
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(samples.size()));
}
BENCHMARK(packing_samples);

}  // namespace
