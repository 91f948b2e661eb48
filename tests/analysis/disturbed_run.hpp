#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/across_runs/comparison.hpp"
#include "analysis/synthetic_run.hpp"

/// Gates on a machine that is not quiet, with known truth.
namespace fathom::testing {

/// What launches of a point are like.
struct DisturbedModel {
    double between = 0.02;  ///< standard deviation of the logarithm from launch to launch
    double far = 0;         ///< a tenth of the launches take this share longer
    double spread = 0.05;   ///< of the logarithm of a launch's times
    /// Share of repetitions around which a rank was preempted: of each launch between none and twice that.
    double disturbed = 0;
    double wholly = 0;  ///< share of launches of which nothing else is left
    std::size_t reps = 200;
};

/// One launch. The kernel interrupts at any moment, so that a repetition is met the more often the longer it
/// takes.
inline analysis::LaunchTimes disturbed_launch(const DisturbedModel& model, double median_ns,
                                              stats::Random& random) {
    const double far = random.uniform() < 0.1 ? 1 + model.far : 1;
    const TimesModel times{.median_ns = median_ns * std::exp(model.between * random.normal()) * far,
                           .spread = model.spread};
    constexpr double most = 0.95;
    const double share = std::min(most, 2 * model.disturbed * random.uniform());
    const double per_ns = -std::log(1 - share) / times.median_ns;
    const bool wholly = random.uniform() < model.wholly;
    SyntheticTimes draw(times, random);
    analysis::LaunchTimes launch;
    std::vector<double> all;
    for (std::size_t i = 0; i < model.reps; ++i) {
        all.push_back(draw.next());
        if (wholly || random.uniform() > std::exp(-per_ns * all.back())) {
            ++launch.disturbed;
        } else {
            launch.times.push_back(all.back());
        }
    }
    if (launch.times.empty()) {
        launch.times = std::move(all);
        launch.sound = false;
    }
    return launch;
}

/// Two runs whose launches take turns, the second slower by this factor in all points.
class DisturbedGate {
  public:
    DisturbedGate(const DisturbedModel& model, double slower, int points, stats::Random& random)
        : model_(model), slower_(slower), random_(random), points_(static_cast<std::size_t>(points)) {
        for (std::size_t i = 0; i < points_.size(); ++i) {
            points_[i].key = key_at(8 * (static_cast<std::int64_t>(i) + 1));
        }
    }

    /// Until there are this many launches of each point of `open`, or of all.
    void launch(std::size_t until, const std::vector<analysis::PointKey>& open) {
        for (std::size_t i = 0; i < points_.size(); ++i) {
            auto& point = points_[i];
            const bool wanted = open.empty() || std::ranges::find(open, point.key) != open.end();
            const double median = 1'000.0 * static_cast<double>(i + 1);
            while (wanted && point.first.size() < until) {
                point.first.push_back(disturbed_launch(model_, median, random_));
                point.second.push_back(disturbed_launch(model_, median * slower_, random_));
            }
        }
        launches_ = until;
    }

    [[nodiscard]] analysis::Comparison compare(const analysis::ComparisonLimits& limits) const {
        auto first = run_called("run 1");
        auto second = run_called("run 2");
        for (const auto& point : points_) {
            add_launches(first, point.key, point.first);
            add_launches(second, point.key, point.second);
        }
        first.file = second.file = "fathom.db";
        for (std::size_t i = 0; i < launches_; ++i) {
            first.launch_jobs.push_back(static_cast<std::int64_t>(2 * i));
            second.launch_jobs.push_back(static_cast<std::int64_t>(2 * i + 1));
        }
        return analysis::compare(std::move(first), std::move(second), limits);
    }

  private:
    struct Point {
        analysis::PointKey key;
        std::vector<analysis::LaunchTimes> first;
        std::vector<analysis::LaunchTimes> second;
    };

    const DisturbedModel& model_;
    double slower_;
    stats::Random& random_;
    std::vector<Point> points_;
    std::size_t launches_ = 0;
};

/// How often so many gates of a few points end in which way.
struct GateRates {
    int gates = 0;
    int fails = 0;
    int holds = 0;
    int undecided = 0;
    std::vector<std::size_t> launches = {};
};

/// With verdicts after these numbers of launches of each run.
inline GateRates gate_rates(const DisturbedModel& model, double slower, int gates,
                            const std::vector<std::size_t>& looks, std::uint64_t seed, double limit = 0.05,
                            int points = 3) {
    stats::Random random(seed);
    GateRates rates;
    rates.gates = gates;
    for (int i = 0; i < gates; ++i) {
        DisturbedGate gate(model, slower, points, random);
        std::vector<analysis::PointKey> open;
        std::optional<analysis::Comparison> last;
        std::size_t launches = 0;
        for (const auto look : looks) {
            gate.launch(look, open);
            launches = look;
            last = gate.compare({.limit = limit, .looks = static_cast<int>(looks.size())});
            open.clear();
            for (const auto& point : last->points) {
                if (point.doubt) {
                    open.push_back(point.key);
                }
            }
            if (open.empty()) {
                break;
            }
        }
        rates.launches.push_back(launches);
        rates.fails += last->gate() == analysis::Gate::fails ? 1 : 0;
        rates.holds += last->gate() == analysis::Gate::holds ? 1 : 0;
        rates.undecided += last->gate() == analysis::Gate::undecided ? 1 : 0;
    }
    return rates;
}

}  // namespace fathom::testing
