// How often rules of src/stats and src/analysis are wrong where nothing is there, and how often they find
// what is, on synthetic data: fathom-decisions [PART]. The table of constants in docs/method.md rests on it;
// `bench/constants.py vary` runs it with other constants.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/math/distributions/students_t.hpp>
#include <fmt/format.h>

#include "analysis/across_runs/comparison.hpp"
#include "analysis/curves/protocol_boundaries.hpp"
#include "analysis/curves/scaling.hpp"
#include "analysis/matrix/slow_members.hpp"
#include "analysis/point/outlier_fence.hpp"
#include "analysis/point/point_result.hpp"
#include "analysis/point/processes.hpp"
#include "analysis/point/timeouts.hpp"
#include "analysis/samples/coincidence.hpp"
#include "analysis/samples/duplex.hpp"
#include "plan/operations.hpp"
#include "stats/change_points/line_segments.hpp"
#include "stats/comparison/bootstrap.hpp"
#include "stats/comparison/scatter.hpp"
#include "stats/distributions/kernel_density.hpp"
#include "stats/distributions/modes.hpp"
#include "stats/random.hpp"
#include "stats/summary.hpp"

namespace {

using fathom::stats::Random;

/// Log-normal times with this median and deviation of their logarithm.
std::vector<double> times_of(Random& random, std::size_t count, double median, double spread) {
    std::vector<double> times;
    times.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        times.push_back(median * std::exp(spread * random.normal()));
    }
    return times;
}

/// In how many of so many trials something happens, in percent.
double share(int trials, const std::function<bool()>& happens) {
    int count = 0;
    for (int i = 0; i < trials; ++i) {
        count += happens() ? 1 : 0;
    }
    return 100.0 * count / trials;
}

std::size_t modes_of(std::vector<double> values) {
    std::ranges::sort(values);
    const auto count = static_cast<double>(values.size());
    return fathom::stats::peaks_of(fathom::stats::kernel_density(values, count, 0), values, count).size();
}

/// Values of which a share lies this many deviations higher.
std::vector<double> two_heaps(Random& random, std::size_t count, double part, double apart) {
    std::vector<double> values;
    for (std::size_t i = 0; i < count; ++i) {
        values.push_back(random.normal() + (random.uniform() < part ? apart : 0));
    }
    return values;
}

std::string modes() {
    Random random(1);
    const auto several = [&](std::size_t count, double part, double apart) {
        return share(400, [&] { return modes_of(two_heaps(random, count, part, apart)) > 1; });
    };
    const double skewed = share(400, [&] { return modes_of(times_of(random, 500, 1, 0.5)) > 1; });
    return fmt::format(
        "several modes in {:.1f} % of 500 normal values, {:.1f} % of 500 log-normal ones, {:.1f} % of 20 "
        "normal ones; found "
        "at 6 deviations: a heap of 30 % in {:.0f} %, of 5 % in {:.0f} %, of 1.5 % in {:.0f} %; a half at 4 "
        "deviations in {:.0f} % "
        "(of 20 values in {:.0f} %)",
        several(500, 0, 0), skewed, several(20, 0, 0), several(500, 0.3, 6), several(500, 0.05, 6),
        several(500, 0.015, 6), several(500, 0.5, 4), several(20, 0.5, 4));
}

std::string groups() {
    Random random(2);
    const auto several = [&](double slower, double between, double spread) {
        return share(300, [&] {
            fathom::analysis::Repetitions repetitions;
            for (int rank = 0; rank < 16; ++rank) {
                const double own = (rank == 5 ? slower : 1) * std::exp(between * random.normal());
                repetitions.by_rank[rank] = times_of(random, 100, 1000 * own, spread);
            }
            return fathom::analysis::processes_of(repetitions, {}).groups.size() > 1;
        });
    };
    return fmt::format(
        "several groups in {:.1f} % of sets of 16 equal processes whose times spread by 10 %, {:.1f} % by 50 "
        "%, {:.1f} % "
        "where processes differ by 1 %; one that is slower by 5 % found in {:.0f} %, by 10 % in {:.0f} %, by "
        "20 % in {:.0f} %",
        several(1, 0, 0.1), several(1, 0, 0.5), several(1, 0.01, 0.1), several(1.05, 0, 0.1),
        several(1.1, 0, 0.1), several(1.2, 0, 0.1));
}

/// Pairs whose medians scatter, with a slow member (the second) or a slow pair (the second and the third).
fathom::analysis::Network network_of(Random& random, std::size_t members, double spread, double slow_member,
                                     double slow_pair) {
    fathom::analysis::Network network(members);
    for (std::size_t b = 0; b < members; ++b) {
        for (std::size_t a = 0; a < b; ++a) {
            const double factor = (a == 1 || b == 1 ? slow_member : 1) * (a == 1 && b == 2 ? slow_pair : 1);
            const double middle = 1000 * factor * std::exp(spread * random.normal());
            network.set(a, b, {.low = 0.95 * middle, .middle = middle, .high = 1.05 * middle});
        }
    }
    return network;
}

std::string slow() {
    Random random(3);
    const auto wrong = [&](std::size_t members, double spread) {
        return share(2000, [&] {
            const auto network = network_of(random, members, spread, 1, 1);
            return !fathom::analysis::slow_members(network).empty() ||
                   !fathom::analysis::slow_pairs(network, {}).empty();
        });
    };
    const auto member = [&](double factor) {
        return share(500, [&] {
            return fathom::analysis::slow_members(network_of(random, 8, 0.1, factor, 1)) ==
                   std::vector<std::size_t>{1};
        });
    };
    const auto pair = [&](double factor) {
        return share(500, [&] {
            return fathom::analysis::slow_pairs(network_of(random, 8, 0.1, 1, factor), {}).size() == 1;
        });
    };
    return fmt::format(
        "something named in {:.2f} % of networks of 8 equal members that scatter by 10 %, {:.2f} % by 30 %, "
        "{:.2f} % of 4 "
        "members by 30 %; a member found that is slower 1.5 times in {:.0f} %, 2 times in {:.0f} %, 3 times "
        "in {:.0f} %; a "
        "link 2 times in {:.0f} %, 3 times in {:.0f} %",
        wrong(8, 0.1), wrong(8, 0.3), wrong(4, 0.3), member(1.5), member(2), member(3), pair(2), pair(3));
}

/// Share of repetitions, in percent, that lie beyond a limit.
double beyond(std::span<const double> times, double limit) {
    return 100.0 *
           static_cast<double>(std::ranges::count_if(times, [&](double time) { return time > limit; })) /
           static_cast<double>(times.size());
}

std::string slow_repetitions() {
    Random random(4);
    const auto wrong = [&](double spread) {
        const auto times = times_of(random, 200'000, 1000, spread);
        return beyond(times, fathom::analysis::slow_threshold(times));
    };
    const auto found = [&](double spread, double delay) {
        auto times = times_of(random, 20'000, 1000, spread);
        const double limit = fathom::analysis::slow_threshold(times);
        for (auto& time : times) {
            time += delay;
        }
        return beyond(times, limit);
    };
    return fmt::format(
        "slow are {:.4f} % of log-normal times that spread by 3 %, {:.4f} % by 20 %, {:.4f} % by 50 %; "
        "delays by a quarter "
        "of the median are found in {:.0f} % of times that spread by 3 %, by the whole in {:.0f} %; by twice "
        "in {:.0f} % of "
        "those that spread by 20 %",
        wrong(0.03), wrong(0.2), wrong(0.5), found(0.03, 250), found(0.03, 1000), found(0.2, 2000));
}

std::string fence() {
    Random random(5);
    const auto outside = [&](const std::function<double()>& draw) {
        double sum = 0;
        constexpr int series = 20;
        for (int i = 0; i < series; ++i) {
            std::vector<double> times(2'000);
            std::ranges::generate(times, draw);
            std::ranges::sort(times);
            sum += beyond(times, fathom::analysis::body_end(times)) / series;
        }
        return sum;
    };
    const auto delayed = [&] {
        auto times = times_of(random, 2'000, 1000, 0.2);
        std::ranges::sort(times);
        const double end = fathom::analysis::body_end(times);
        return beyond(times_of(random, 2'000, 2000, 0.2), end);
    };
    return fmt::format(
        "outliers are {:.3f} % of normal times, {:.3f} % of log-normal ones (0.1), {:.3f} % (0.5), {:.3f} % "
        "of exponential "
        "ones; of times doubled {:.0f} % are",
        outside([&] { return 1000 + 50 * random.normal(); }),
        outside([&] { return 1000 * std::exp(0.1 * random.normal()); }),
        outside([&] { return 1000 * std::exp(0.5 * random.normal()); }),
        outside([&] { return 1000 - 200 * std::log(random.uniform()); }), delayed());
}

/// Whether a deviation of a point is significant at a level, by the scatter of others.
bool significant(double value, double error, double freedom, double level) {
    const boost::math::students_t student(freedom);
    return std::abs(value) / error > boost::math::quantile(student, 1 - level / 2);
}

std::string scatter() {
    Random random(6);
    const auto alarms = [&](std::size_t count, double effect, double level) {
        return share(2'000, [&] {
            constexpr double own = 0.003;
            constexpr double between = 0.01;
            std::vector<fathom::stats::Deviation> others(count);
            for (auto& other : others) {
                other = {.value = std::hypot(own, between) * random.normal(), .error = own};
            }
            const double error = std::hypot(own, fathom::stats::excess_scatter(others, 1));
            return significant(effect + std::hypot(own, between) * random.normal(), error,
                               fathom::stats::freedom_of_scatter(count), level);
        });
    };
    return fmt::format(
        "false alarms at 5 % / 0.5 %: {:.1f} / {:.1f} % with 8 points, {:.1f} / {:.1f} % with 20, {:.1f} / "
        "{:.1f} % with 100; "
        "5 deviations found at 0.5 % in {:.0f}, {:.0f}, {:.0f} %",
        alarms(8, 0, 0.05), alarms(8, 0, 0.005), alarms(20, 0, 0.05), alarms(20, 0, 0.005),
        alarms(100, 0, 0.05), alarms(100, 0, 0.005), alarms(8, 0.05, 0.005), alarms(20, 0.05, 0.005),
        alarms(100, 0.05, 0.005));
}

std::string median_errors() {
    Random random(7);
    const auto alarms = [&](std::size_t count, double effect, double level) {
        return share(4'000, [&] {
            const fathom::stats::LaunchSample sample(times_of(random, count, 1, 0.1));
            return significant(std::log(sample.median()) + effect, sample.relative_error(),
                               sample.effective_sample().freedom, level);
        });
    };
    return fmt::format(
        "false alarms at 5 % / 0.5 %: {:.1f} / {:.1f} % with 8 values, {:.1f} / {:.1f} % with 20, {:.1f} / "
        "{:.1f} % with "
        "100; 10 % found at 0.5 % in {:.0f}, {:.0f}, {:.0f} %",
        alarms(8, 0, 0.05), alarms(8, 0, 0.005), alarms(20, 0, 0.05), alarms(20, 0, 0.005),
        alarms(100, 0, 0.05), alarms(100, 0, 0.005), alarms(8, 0.1, 0.005), alarms(20, 0.1, 0.005),
        alarms(100, 0.1, 0.005));
}

/// Twelve sizes that double, as the LogGP ranges tolerate them: within a tenth.
std::string segments() {
    Random random(8);
    const auto several = [&](double noise, double jump) {
        return share(500, [&] {
            std::vector<double> sizes;
            std::vector<fathom::stats::ToleratedSeries> series(2);
            for (int i = 0; i < 12; ++i) {
                sizes.push_back(std::exp2(i + 3));
                for (auto& one : series) {
                    const double time = (1000 + 0.5 * sizes.back()) * (i < 6 ? 1 : jump);
                    one.values.push_back(time * (1 + noise * random.normal()));
                    one.tolerances.push_back(0.1 * time);
                }
            }
            return fathom::stats::line_segments(sizes, series, 3).size() > 1;
        });
    };
    return fmt::format(
        "several lines in {:.1f} % of straight curves with 2 % of noise, {:.1f} % with 5 %, {:.1f} % with 10 "
        "%; a jump by 1.3 found "
        "in {:.0f} %, by 1.5 in {:.0f} %, by 2 in {:.0f} % (5 % of noise)",
        several(0.02, 1), several(0.05, 1), several(0.1, 1), several(0.05, 1.3), several(0.05, 1.5),
        several(0.05, 2));
}

std::string duplex() {
    Random random(9);
    using Verdict = fathom::analysis::DuplexVerdict;
    const auto said = [&](double ratio, Verdict what) {
        return share(300, [&] {
            const auto measures = fathom::analysis::duplex_measures(times_of(random, 50, 1000, 0.1),
                                                                    times_of(random, 50, ratio * 1000, 0.1));
            const auto& measure = measures.front();
            const auto verdict = fathom::analysis::duplex_of;
            const bool sure = !measure.ci95 || verdict(measure.ci95->low) == verdict(measure.ci95->high);
            return sure && verdict(measure.value) == what;
        });
    };
    return fmt::format(
        "full duplex at ratios of 1, 1.15, 1.3, 1.5: {:.0f}, {:.0f}, {:.0f}, {:.0f} %; no duplex at 1.5, "
        "1.65, 1.85, 2: {:.0f}, {:.0f}, "
        "{:.0f}, {:.0f} %",
        said(1, Verdict::full), said(1.15, Verdict::full), said(1.3, Verdict::full), said(1.5, Verdict::full),
        said(1.5, Verdict::none), said(1.65, Verdict::none), said(1.85, Verdict::none),
        said(2, Verdict::none));
}

std::string timeouts() {
    Random random(10);
    constexpr double ms = 1e6;
    /// Without counters, the times alone; `part` of them wait for a timeout, a tenth of these for two.
    const auto look = [&](double median, double spread, double part) {
        fathom::analysis::Repetitions repetitions;
        repetitions.times = times_of(random, 1'000, median, spread);
        std::int64_t injected = 0;
        for (auto& time : repetitions.times) {
            const int units = random.uniform() >= part ? 0 : random.uniform() < 0.1 ? 2 : 1;
            time += units * 204 * ms;
            injected += units;
        }
        const auto found = fathom::analysis::timeouts_of(repetitions, {}, true);
        return std::pair(found, injected);
    };
    const auto wrong = [&](double median, double spread) {
        return share(300, [&] {
            return look(median, spread, 0).first.status == fathom::analysis::TimeoutStatus::found;
        });
    };
    const auto right = [&](double median, double spread, double part) {
        return share(300, [&] {
            const auto [found, injected] = look(median, spread, part);
            const auto off = static_cast<double>(found.inferred - injected);
            return injected > 0 && std::abs(off) <= 0.1 * static_cast<double>(injected);
        });
    };
    return fmt::format(
        "timeouts seen in {:.1f} % of log-normal series without any, of 1 ms that spread by 50 %, {:.1f} % "
        "of 20 ms by 50 %, "
        "{:.1f} % of 20 ms by 100 %, {:.1f} % of 150 ms by 10 %; counted within a tenth of the true number "
        "in {:.0f} % of series of 1 ms "
        "with 1 %, {:.0f} % of 20 ms with 5 %, {:.0f} % of 50 ms with 5 %",
        wrong(ms, 0.5), wrong(20 * ms, 0.5), wrong(20 * ms, 1), wrong(150 * ms, 0.1), right(ms, 0.5, 0.01),
        right(20 * ms, 0.3, 0.05), right(50 * ms, 0.1, 0.05));
}

fathom::analysis::PointResult point_of(std::int64_t size, double time_ns, double error) {
    fathom::analysis::PointResult point;
    point.key.operation = "pingpong";
    point.key.pattern = "all";
    point.key.procs = 2;
    point.key.size = {size};
    point.status = fathom::journal::PointStatus::ok;
    point.datatype = "byte";
    fathom::stats::Summary time;
    time.count = 100;
    time.median = time_ns;
    const double half = 2 * error * time_ns;
    time.median_ci95 = fathom::stats::Interval{.low = time_ns - half, .high = time_ns + half};
    point.time_ns = time;
    return point;
}

std::string anomalies() {
    Random random(11);
    /// 1 us + 0.1 ns a byte; from 8 KiB on longer by `jump`, 4 KiB by `hump`.
    const auto scaled = [&](double noise, double jump, double hump) {
        std::vector<fathom::analysis::PointResult> points;
        for (std::int64_t size = 8; size <= 1 << 20; size *= 2) {
            const double time = (1000 + 0.1 * static_cast<double>(size)) * (size > 4096 ? jump : 1) *
                                (size == 4096 ? hump : 1);
            points.push_back(point_of(size, time * (1 + noise * random.normal()), noise));
        }
        return fathom::analysis::scaling_of(points, false);
    };
    const auto some = [&](double noise, double jump, double hump) {
        return share(200, [&] {
            const auto found = scaled(noise, jump, hump);
            return !found.anomalies.empty() || !found.violations.empty();
        });
    };
    const auto rate = [&](double noise) {
        return share(200, [&] {
            const auto found = scaled(noise, 1.5, 1).sizes.front().asymptotic_rate_bytes_per_s;
            return found && std::abs(*found / (1e10 / 1.5) - 1) < 0.05;
        });
    };
    return fmt::format(
        "an anomaly or violation in {:.1f} % of straight curves with 1 % of noise, {:.1f} % with 3 %; found: "
        "a hump of 1.5 "
        "in {:.0f} %, of 2 in {:.0f} %, a jump by 1.15 in {:.0f} %, by 1.4 in {:.0f} %, by 2 in {:.0f} % (1 "
        "% of noise); the rate is right "
        "within 5 % in {:.0f} % with 1 % of noise, {:.0f} % with 3 %",
        some(0.01, 1, 1), some(0.03, 1, 1), some(0.01, 1, 1.5), some(0.01, 1, 2), some(0.01, 1.15, 1),
        some(0.01, 1.4, 1), some(0.01, 2, 1), rate(0.01), rate(0.03));
}

/// Studies of overlap at doubling sizes; from 16 KiB on, overhead and time are longer by these factors.
std::string boundaries() {
    Random random(13);
    const auto found = [&](double noise, double overhead_factor, double time_factor) {
        return share(300, [&] {
            const auto figure = [&](double value) {
                const double seen = value * (1 + noise * random.normal());
                const double reach = 2 * noise * value;
                return fathom::stats::Reduced{
                    .value = seen,
                    .ci95 = fathom::stats::Interval{.low = seen - reach, .high = seen + reach}};
            };
            std::vector<fathom::analysis::PointResult> points;
            for (std::int64_t size = 1024; size <= 1 << 18; size *= 2) {
                const bool above = size > 8192;
                const auto time = (2000 + 0.2 * static_cast<double>(size)) * (above ? time_factor : 1);
                const auto overhead =
                    (500 + 0.02 * static_cast<double>(size)) * (above ? overhead_factor : 1);
                auto point = point_of(size, time, noise);
                point.key.operation = "overlap.isend";
                auto& message = point.overlap.emplace().message.emplace();
                message.base_ns = figure(time);
                message.plain.overhead_ns = figure(overhead);
                message.plain.availability = figure(1 - overhead / time);
                points.push_back(std::move(point));
            }
            return !fathom::analysis::protocol_boundaries(points).empty();
        });
    };
    return fmt::format(
        "a boundary in {:.1f} % of smooth curves with 2 % of noise, {:.1f} % with 10 %; found where the "
        "overhead doubles in {:.0f} %, grows "
        "4 times in {:.0f} %, falls to a half in {:.0f} %, where the time grows 3 times in {:.0f} % (2 % of "
        "noise)",
        found(0.02, 1, 1), found(0.1, 1, 1), found(0.02, 2, 1), found(0.02, 4, 1), found(0.02, 0.5, 1),
        found(0.02, 1, 3));
}

fathom::analysis::MeasuredRun run_of(Random& random, int points, double between, double slower) {
    fathom::analysis::MeasuredRun run;
    run.name = "run";
    run.result.run.mpi_flavour = "openmpi";
    run.hosts = {{"h1", 2}};
    for (int i = 0; i < points; ++i) {
        const double own = (i == 1 ? slower : 1) * std::exp(between * random.normal());
        auto times = times_of(random, 100, 1000 * own, 0.03);
        auto point = point_of(8LL * (i + 1), 1000 * own, 0.001);
        point.time_ns = fathom::stats::summarise(times);
        point.reps = static_cast<std::int64_t>(times.size());
        run.times[point.key] = {{.times = std::move(times), .disturbed = 0}};
        run.result.points.push_back(std::move(point));
    }
    return run;
}

std::string comparisons() {
    Random random(12);
    const auto alarms = [&](int points, double between) {
        return share(100, [&] {
            const auto compared = fathom::analysis::compare(run_of(random, points, between, 1),
                                                            run_of(random, points, between, 1), {});
            return std::ranges::any_of(compared.points, [](const auto& point) {
                return point.verdict == fathom::analysis::Change::slower ||
                       point.verdict == fathom::analysis::Change::faster;
            });
        });
    };
    const auto found = [&](int points, double between, double slower) {
        return share(100, [&] {
            const auto compared = fathom::analysis::compare(run_of(random, points, between, 1),
                                                            run_of(random, points, between, slower), {});
            return compared.points[1].verdict == fathom::analysis::Change::slower;
        });
    };
    return fmt::format(
        "tables with a false alarm: {:.0f} % of 3 points whose launches differ by 0.5 %, {:.0f} % by 1 %, "
        "{:.0f} % of 20 by 0.5 %, "
        "{:.0f} % by 1 %, {:.0f} % by 2 %; a point slower by 5 % found in {:.0f} % of 3 (0.5 %), {:.0f} % of "
        "20 (0.5 %), {:.0f} % of "
        "20 (1 %), by 10 % in {:.0f} % of 20 (1 %)",
        alarms(3, 0.005), alarms(3, 0.01), alarms(20, 0.005), alarms(20, 0.01), alarms(20, 0.02),
        found(3, 0.005, 1.05), found(20, 0.005, 1.05), found(20, 0.01, 1.05), found(20, 0.01, 1.1));
}

const std::map<std::string_view, std::string (*)()>& parts() {
    static const std::map<std::string_view, std::string (*)()> all{{"modes", modes},
                                                                   {"groups", groups},
                                                                   {"slow", slow},
                                                                   {"slow-repetitions", slow_repetitions},
                                                                   {"fence", fence},
                                                                   {"scatter", scatter},
                                                                   {"median-errors", median_errors},
                                                                   {"segments", segments},
                                                                   {"duplex", duplex},
                                                                   {"timeouts", timeouts},
                                                                   {"anomalies", anomalies},
                                                                   {"boundaries", boundaries},
                                                                   {"comparisons", comparisons}};
    return all;
}

}  // namespace

int main(int count, char** arguments) {
    const std::string_view wanted = count > 1 ? arguments[1] : "";
    for (const auto& [name, part] : parts()) {
        if (wanted.empty() || wanted == name) {
            fmt::print("{}: {}\n", name, part());
        }
    }
    return wanted.empty() || parts().contains(wanted) ? 0 : 2;
}
