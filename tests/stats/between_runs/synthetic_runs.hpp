#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "stats/between_runs/between_runs.hpp"
#include "stats/mean.hpp"
#include "stats/quantile.hpp"
#include "stats/random.hpp"
#include "stats/student.hpp"

namespace fathom::testing {

/// Runs of points whose true values are known. All deviations are of logarithms: shares of the time.
struct RunsModel {
    std::size_t points = 20;
    std::size_t launches = 5;
    double common = 0;  ///< from run to run, all points alike
    double own = 0;     ///< from run to run, each point for itself
    double unlike = 0;  ///< by how much points differ in that: deviation of its logarithm
    double launch = 0;  ///< from launch to launch
    double change = 0;  ///< of all points, from the middle of the stored runs on
};

/// How often the interval of a run contains the truth, and how wide it is.
struct RunsCoverage {
    double share = 0;
    double width = 0;  ///< median
};

/// With so many runs stored before it. The interval is that of `fathom show`: over the run's launches, wider
/// by what is learned from the stored runs, or assumed.
inline RunsCoverage coverage_with(const RunsModel& model, std::size_t stored, int trials, std::uint64_t seed,
                                  double assumed = 0.02) {
    stats::Random random(seed);
    std::size_t inside = 0;
    std::vector<double> widths;
    for (int trial = 0; trial < trials; ++trial) {
        std::vector<double> own(model.points, model.own);
        for (auto& deviation : own) {
            deviation *= std::exp(model.unlike * random.normal());
        }
        std::vector<stats::RunValues> runs;
        std::vector<double> last(model.points);
        std::vector<double> half(model.points);
        for (std::size_t run = 0; run <= stored; ++run) {
            const double truth = run >= (stored + 1) / 2 ? model.change : 0;
            const double common = truth + model.common * random.normal();
            stats::RunValues values;
            for (std::size_t point = 0; point < model.points; ++point) {
                const double of_run = common + own[point] * random.normal();
                std::vector<double> launches;
                for (std::size_t launch = 0; launch < model.launches; ++launch) {
                    launches.push_back(of_run + model.launch * random.normal());
                }
                last[point] = stats::median_of(launches);
                const auto interval = stats::few_values_ci95(launches);
                half[point] = interval.high - last[point];
                const double error =
                    half[point] / stats::student_factor(static_cast<double>(model.launches - 1));
                values.push_back(stats::RunValue{.logarithm = last[point], .variance = error * error});
                last[point] -= truth;
            }
            if (run < stored) {
                runs.push_back(std::move(values));
            }
        }
        const auto learned = stats::between_runs(runs, model.points, assumed);
        for (std::size_t point = 0; point < model.points; ++point) {
            const double reach = std::hypot(half[point], learned.points[point].reach());
            inside += std::abs(last[point]) <= reach ? 1U : 0U;
            widths.push_back(2 * reach);
        }
    }
    return {.share = static_cast<double>(inside) / static_cast<double>(widths.size()),
            .width = stats::median_of(widths)};
}

}  // namespace fathom::testing
