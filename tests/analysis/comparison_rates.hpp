#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "analysis/across_runs/comparison.hpp"
#include "analysis/synthetic_run.hpp"

/// How often comparisons of synthetic runs are wrong, and how often they find what is there: for
/// `fathom-comparisons` (bench/comparisons), and a few of each kind for the tests.
namespace fathom::testing {

struct TableModel {
    int tables = 100;
    int launches = 1;
    double between = 0;     ///< standard deviation of the logarithm between launches
    double slowdown = 1;    ///< of the tenth point of the second run
    double all_slower = 1;  ///< of all others
    int points = 100;       ///< of a table
};

struct TableRates {
    int with_false_alarm = 0;  ///< tables
    int found = 0;             ///< tables in which the slow point is called slower
    int beyond = 0;            ///< tables with a point that is not slow and fails a limit of 5 %
    double same = 0;           ///< share of equal points that are called the same
};

/// Points of a table differ in spread, skew and correlation.
inline TimesModel model_of_point(int point) {
    return {.median_ns = 500.0 * (1 + point),
            .spread = 0.02 + 0.08 * (point % 7) / 6,
            .correlation = 0.6 * (point % 5) / 4,
            .slow_share = 0.05 * (point % 3) / 2};
}

inline constexpr int slow_point = 10;

inline analysis::MeasuredRun table_of(const std::string& name, const TableModel& model, bool second,
                                      stats::Random& random) {
    auto run = run_called(name);
    for (int point = 0; point < model.points; ++point) {
        Launches starts;
        for (int start = 0; start < model.launches; ++start) {
            auto times = model_of_point(point);
            times.median_ns *= std::exp(model.between * random.normal());
            times.median_ns *= !second ? 1 : point == slow_point ? model.slowdown : model.all_slower;
            starts.push_back(SyntheticTimes(times, random).take_by_rule());
        }
        add_point(run, key_at(8 * (point + 1)), std::move(starts));
    }
    return run;
}

inline TableRates table_rates(const TableModel& model, std::uint64_t seed) {
    using analysis::Change;
    stats::Random random(seed);
    TableRates rates;
    int same = 0;
    for (int table = 0; table < model.tables; ++table) {
        auto first = table_of("run 1", model, false, random);
        auto second = table_of("run 2", model, true, random);
        bool false_alarm = false;
        bool beyond = false;
        for (const auto& point : compare(std::move(first), std::move(second), {}).points) {
            const bool slow = model.slowdown > 1 && point.key.size.count == 8 * (slow_point + 1);
            const bool changed = point.verdict == Change::slower || point.verdict == Change::faster;
            rates.found += slow && point.verdict == Change::slower;
            false_alarm = false_alarm || (!slow && changed);
            beyond = beyond || (!slow && point.beyond_limit);
            same += !slow && point.verdict == Change::same;
        }
        rates.with_false_alarm += false_alarm;
        rates.beyond += beyond;
    }
    rates.same = same / (1.0 * model.tables * model.points);
    return rates;
}

/// Launches of one point: how their medians scatter.
struct LaunchScatter {
    double between = 0;  ///< standard deviation of the logarithm
    double levels = 0;   ///< half of them take this share longer
    double far = 0;      ///< a tenth of them take this share longer
};

inline Launches launches_that(const LaunchScatter& scatter, std::size_t count, double median_ns,
                              stats::Random& random) {
    Launches launches;
    for (std::size_t i = 0; i < count; ++i) {
        const double level = random.uniform() < 0.5 ? 1 + scatter.levels : 1;
        const double off = random.uniform() < 0.1 ? 1 + scatter.far : 1;
        const TimesModel times{
            .median_ns = median_ns * std::exp(scatter.between * random.normal()) * level * off,
            .spread = 0.05};
        launches.push_back(SyntheticTimes(times, random).take(100));
    }
    return launches;
}

/// How many of so many gates at 5 % fail, of three points with so many launches each, of which the first is
/// slower by this factor.
inline int failing_gates(const LaunchScatter& scatter, double slowdown, int gates, std::uint64_t seed,
                         std::size_t launches = 5) {
    stats::Random random(seed);
    int failing = 0;
    for (int gate = 0; gate < gates; ++gate) {
        auto first = run_called("run 1");
        auto second = run_called("run 2");
        for (int point = 0; point < 3; ++point) {
            const double median = 1'000.0 * (1 + point);
            add_point(first, key_at(8 * (point + 1)), launches_that(scatter, launches, median, random));
            add_point(second, key_at(8 * (point + 1)),
                      launches_that(scatter, launches, median * (point == 0 ? slowdown : 1), random));
        }
        failing += compare(std::move(first), std::move(second), {}).beyond_limit() > 0;
    }
    return failing;
}

}  // namespace fathom::testing
