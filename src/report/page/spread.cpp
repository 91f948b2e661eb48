#include "report/page/spread.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "journal/json.hpp"
#include "plan/operations.hpp"
#include "report/page/packed_counts.hpp"
#include "stats/distributions/log_grid.hpp"
#include "stats/mean.hpp"
#include "stats/quantile.hpp"

namespace fathom::report {
namespace {

using nlohmann::ordered_json;

/// Enough for a histogram to look into; of processes few enough for hundreds of points with as many of them.
constexpr int most_bins = 960;
constexpr int most_bins_by_rank = 300;

/// The step in which times come: stored durations are whole nanoseconds of all calls and ways together.
double quantum_of(const analysis::PointResult& point) {
    const auto* operation = plan::known_operation(point.key.operation);
    const bool one_way = operation != nullptr && point.round_trip != plan::RoundTrip::whole;
    const double legs = one_way ? operation->legs() : 1;
    return 1 / (legs * static_cast<double>(std::max<std::int64_t>(1, point.calls)));
}

/// The grid of all these times. Processes that had nothing to do take no time; their 0 is counted in the
/// first bin, or it would leave few bins to the others.
class Ends {
  public:
    void take(const std::vector<double>& times) {
        for (const double time : times) {
            if (time > 0) {
                low_ = std::min(low_, time);
                high_ = std::max(high_, time);
            }
        }
    }
    [[nodiscard]] stats::LogGrid grid(double quantum, int bins) const {
        return stats::log_grid(std::min(low_, high_), high_, quantum, bins);
    }

  private:
    double low_ = std::numeric_limits<double>::infinity();
    double high_ = 0;
};

ordered_json grid_json(const stats::LogGrid& grid) {
    return {{"low_ns", grid.low}, {"ratio", grid.ratio}, {"bins", grid.bins}};
}

double quantile_of(std::vector<double>& times, double share) {
    // Two neighbours decide; the rest need not be in order.
    const auto at = static_cast<std::size_t>(share * static_cast<double>(times.size() - 1));
    const auto place = times.begin() + static_cast<std::ptrdiff_t>(at);
    std::nth_element(times.begin(), place, times.end());
    if (at + 1 == times.size()) {
        return *place;
    }
    const std::array<double, 2> two{*place, *std::min_element(place + 1, times.end())};
    return stats::quantile(two, share * static_cast<double>(times.size() - 1) - static_cast<double>(at));
}

/// One array per figure, so that names are not repeated for every process. All processes share one grid, so
/// that any of them can be put together.
ordered_json ranks_json(const std::map<int, std::vector<double>>& by_rank, double quantum) {
    Ends ends;
    for (const auto& [rank, times] : by_rank) {
        ends.take(times);
    }
    const auto grid = ends.grid(quantum, most_bins_by_rank);
    auto json = grid_json(grid);
    for (const char* name :
         {"rank", "reps", "min_ns", "median_ns", "mean_ns", "p99_ns", "max_ns", "counts"}) {
        json[name] = ordered_json::array();
    }
    for (const auto& [rank, in_order] : by_rank) {
        if (in_order.empty()) {
            continue;
        }
        json["rank"].push_back(rank);
        json["reps"].push_back(in_order.size());
        json["counts"].push_back(packed_counts(stats::counts_on(grid, in_order)));
        json["mean_ns"].push_back(shortened(stats::mean(in_order)));
        auto times = in_order;
        json["median_ns"].push_back(shortened(quantile_of(times, 0.5)));
        json["p99_ns"].push_back(shortened(quantile_of(times, 0.99)));
        const auto [low, high] = std::minmax_element(times.begin(), times.end());
        json["min_ns"].push_back(shortened(*low));
        json["max_ns"].push_back(shortened(*high));
    }
    return json;
}

}  // namespace

ordered_json shortened(double number) {
    constexpr int digits = 6;
    constexpr double largest_exact = 1e15;
    if (number != 0 && std::isfinite(number)) {
        const double scale = std::pow(10.0, digits - 1 - std::floor(std::log10(std::abs(number))));
        number = std::round(number * scale) / scale;
    }
    return std::abs(number) < largest_exact && std::trunc(number) == number
               ? ordered_json(static_cast<std::int64_t>(number))
               : ordered_json(number);
}

ordered_json spread_json(const analysis::PointResult& point, const analysis::Repetitions& repetitions) {
    if (repetitions.times.empty()) {
        return nullptr;
    }
    const double quantum = quantum_of(point);
    Ends ends;
    ends.take(repetitions.times);
    const auto grid = ends.grid(quantum, most_bins);
    auto json = grid_json(grid);
    json["counts"] = packed_counts(stats::counts_on(grid, repetitions.times));
    json["quantiles"] = ordered_json::array();
    auto sorted = repetitions.times;
    std::sort(sorted.begin(), sorted.end());
    for (const double share : {0.0, 0.01, 0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1.0}) {
        json["quantiles"].push_back({share, shortened(stats::quantile(sorted, share))});
    }
    json["ranks"] = ranks_json(repetitions.by_rank, quantum);
    return json;
}

}  // namespace fathom::report
