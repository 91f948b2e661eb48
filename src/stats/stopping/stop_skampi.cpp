#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "stats/mean.hpp"
#include "stats/stopping/stop_rule.hpp"
#include "stats/stopping/thinned_series.hpp"

namespace fathom::stats {
namespace {

class Skampi : public StopRule {
  public:
    Skampi(double epsilon, double clock_tick) : epsilon_(epsilon), least_total_(clock_tick / epsilon) {}
    void add(std::span<const double> times) override {
        for (const double time : times) {
            total_ += time;
        }
        times_.add(times);
        error_ = relative_error();
    }
    [[nodiscard]] bool reached() const override { return error_ < epsilon_ && total_ >= least_total_; }
    [[nodiscard]] std::string state() const override {
        return fmt::format("the relative standard error of the middle half is {:.2f} %, target {:.2f} %",
                           error_ * 100, epsilon_ * 100);
    }

  private:
    /// Of the mean over the middle half of the sorted times. Those held stand for all.
    [[nodiscard]] double relative_error() const {
        constexpr std::size_t fewest = 8;
        if (times_.count() < fewest) {
            return std::numeric_limits<double>::infinity();
        }
        std::vector<double> sorted(times_.values().begin(), times_.values().end());
        std::sort(sorted.begin(), sorted.end());
        const auto middle = middle_half(sorted);
        const double centre = mean(middle);
        double squares = 0;
        for (const double time : middle) {
            squares += (time - centre) * (time - centre);
        }
        const auto n = static_cast<double>(middle.size());
        const double all = n * static_cast<double>(times_.count()) / static_cast<double>(sorted.size());
        const double error = std::sqrt(squares / (n - 1) / all);
        return centre > 0 ? error / centre : std::numeric_limits<double>::infinity();
    }

    double epsilon_;
    double least_total_;
    double total_ = 0;
    double error_ = std::numeric_limits<double>::infinity();
    ThinnedSeries times_;
};

}  // namespace

std::unique_ptr<StopRule> skampi_rule(double epsilon, double clock_tick) {
    return std::make_unique<Skampi>(epsilon, clock_tick);
}

}  // namespace fathom::stats
