#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "stats/stop_rule.hpp"

namespace fathom::stats {
namespace {

class Skampi : public StopRule {
  public:
    Skampi(double epsilon, double clock_tick) : epsilon_(epsilon), least_total_(clock_tick / epsilon) {}
    void add(std::span<const double> times) override {
        for (const double time : times) {
            total_ += time;
        }
        times_.insert(times_.end(), times.begin(), times.end());
        error_ = relative_error();
    }
    [[nodiscard]] bool reached() const override { return error_ < epsilon_ && total_ >= least_total_; }
    [[nodiscard]] std::string state() const override {
        return fmt::format("the relative standard error of the middle half is {:.2f} %, asked {:.2f} %",
                           error_ * 100, epsilon_ * 100);
    }

  private:
    /// Of the mean over the middle half of the sorted times.
    [[nodiscard]] double relative_error() const {
        constexpr std::size_t fewest = 8;
        if (times_.size() < fewest) {
            return std::numeric_limits<double>::infinity();
        }
        auto sorted = times_;
        std::sort(sorted.begin(), sorted.end());
        const auto cut = sorted.size() / 4;
        const std::span middle(sorted.begin() + static_cast<std::ptrdiff_t>(cut),
                               sorted.end() - static_cast<std::ptrdiff_t>(cut));
        const auto n = static_cast<double>(middle.size());
        double mean = 0;
        for (const double time : middle) {
            mean += time / n;
        }
        double squares = 0;
        for (const double time : middle) {
            squares += (time - mean) * (time - mean);
        }
        const double error = std::sqrt(squares / (n - 1) / n);
        return mean > 0 ? error / mean : std::numeric_limits<double>::infinity();
    }

    double epsilon_;
    double least_total_;
    double total_ = 0;
    double error_ = std::numeric_limits<double>::infinity();
    std::vector<double> times_;
};

}  // namespace

std::unique_ptr<StopRule> skampi_rule(double epsilon, double clock_tick) {
    return std::make_unique<Skampi>(epsilon, clock_tick);
}

}  // namespace fathom::stats
