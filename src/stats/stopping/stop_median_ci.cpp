#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "stats/quantile_ci.hpp"
#include "stats/stopping/stop_rule.hpp"
#include "stats/stopping/thinned_series.hpp"

namespace fathom::stats {
namespace {

class MedianCi : public StopRule {
  public:
    explicit MedianCi(double share) : share_(share) {}
    void add(std::span<const double> times) override {
        times_.add(times);
        width_ = relative_width();
    }
    [[nodiscard]] bool reached() const override { return width_ && *width_ < share_; }
    [[nodiscard]] std::string state() const override {
        return width_ ? fmt::format("the 95 % interval is {:.1f} % of the median, target {:.1f} %",
                                    *width_ * 100, share_ * 100)
                      : std::string();
    }

  private:
    [[nodiscard]] std::optional<double> relative_width() const {
        if (times_.count() == 0) {
            return std::nullopt;
        }
        const auto median = quantile_estimate(times_.values(), 0.5);
        const double width = median.ci95 ? median.ci95->high - median.ci95->low : HUGE_VAL;
        if (width == 0) {
            return 0;  // of no time at all too, which simulated calls take
        }
        return median.ci95 && median.value > 0 ? std::optional(width / median.value) : std::nullopt;
    }

    double share_;
    ThinnedSeries times_;
    std::optional<double> width_;
};

}  // namespace

std::unique_ptr<StopRule> median_ci_rule(double share) {
    return std::make_unique<MedianCi>(share);
}

}  // namespace fathom::stats
