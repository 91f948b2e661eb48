#include "probe/overlap/calibration.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "stats/quantile.hpp"

namespace fathom::probe {
namespace {

constexpr std::int64_t short_ns = 1'000;
constexpr std::int64_t long_ns = 20'000;

/// Times of amounts of work, in nanoseconds, clock readings and all.
class Stretches {
  public:
    Stretches(const Clock& clock, Worker& worker) : clock_(clock), worker_(worker) {}

    double time(std::int64_t units) {
        // Begins anywhere within a tick of the clock, so that ticks longer than what is looked for even out.
        constexpr std::int64_t places = 64;
        place_ = (place_ + 1) % places;
        worker_.work(place_);
        const auto begin = clock_.now();
        if (units > 0) {
            worker_.work(units);
        }
        return static_cast<double>((clock_.now() - begin).count);
    }

  private:
    const Clock& clock_;
    Worker& worker_;
    std::int64_t place_ = 0;
};

/// The least by which the clock goes on between two readings.
double step_of(const Clock& clock) {
    constexpr int readings = 100;
    constexpr int most_readings = 100'000;  // of a clock that stands still
    auto least = INT64_MAX;
    auto last = clock.now();
    int steps = 0;
    for (int i = 0; i < most_readings && steps < readings; ++i) {
        const auto reading = clock.now();
        if (reading > last) {
            least = std::min(least, (reading - last).count);
            ++steps;
        }
        last = reading;
    }
    return steps > 0 ? static_cast<double>(least) : 0;
}

/// What stretches of one length take when nothing comes in between: the mean of those near the median, which
/// evens out ticks of the clock.
double usual(std::vector<double> times, double step) {
    std::sort(times.begin(), times.end());
    constexpr double quarter = 0.25;
    const double low = stats::quantile(times, quarter);
    const double middle = stats::quantile(times, 2 * quarter);
    const double high = stats::quantile(times, 3 * quarter);
    const double far = 2 * (high - low) + step;
    double sum = 0;
    int count = 0;
    for (const auto time : times) {
        if (std::abs(time - middle) <= far) {
            sum += time;
            ++count;
        }
    }
    return sum / count;
}

/// Units that take about 20 us.
std::int64_t long_stretch(Stretches& stretches) {
    std::int64_t units = 1;
    double time = stretches.time(units);
    // Doubled until it shows well, and not just because something came in between.
    while (std::min(time, stretches.time(units)) < long_ns / 4.0) {
        units *= 2;
        time = stretches.time(units);
    }
    time = std::min(time, stretches.time(units));
    return std::max<std::int64_t>(2, std::llround(static_cast<double>(units) * long_ns / time));
}

/// Works until the processor has reached its usual speed, at most 4 ms.
void settle(Stretches& stretches, std::int64_t units) {
    constexpr std::size_t some = 25;
    constexpr int most_looks = 8;
    constexpr double close = 0.002;
    std::array<double, some> times{};
    double before = 0;
    for (int look = 0; look < most_looks; ++look) {
        std::ranges::generate(times, [&] { return stretches.time(units); });
        std::ranges::nth_element(times, times.begin() + some / 2);
        const double now = times[some / 2];
        if (std::abs(now - before) <= close * now) {
            return;
        }
        before = now;
    }
}

}  // namespace

WorkRate calibrated(const Clock& clock, Worker& worker) {
    constexpr std::size_t rounds = 200;
    Stretches stretches(clock, worker);
    const auto long_units = long_stretch(stretches);
    const auto short_units = std::max<std::int64_t>(1, long_units * short_ns / long_ns);
    settle(stretches, long_units);
    const double step = step_of(clock);
    std::vector<double> empty;
    std::vector<double> brief;
    std::vector<double> lengthy;
    // Alternating, so that any change affects all of them.
    for (std::size_t round = 0; round < rounds; ++round) {
        empty.push_back(stretches.time(0));
        brief.push_back(stretches.time(short_units));
        lengthy.push_back(stretches.time(long_units));
    }
    const double brief_ns = usual(std::move(brief), step);
    WorkRate rate;
    rate.unit_ns =
        (usual(std::move(lengthy), step) - brief_ns) / static_cast<double>(long_units - short_units);
    rate.constant_ns =
        brief_ns - usual(std::move(empty), step) - static_cast<double>(short_units) * rate.unit_ns;
    return rate;
}

}  // namespace fathom::probe
