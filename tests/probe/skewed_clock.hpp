#pragma once

#include <algorithm>
#include <cmath>

#include "probe/interfaces/clock.hpp"

namespace fathom::probe::fakes {

/// Another clock, ahead by a known offset and running too fast by a known rate, which may change at a known
/// time. What it shows at any moment of the base clock is known exactly: the truth for tests.
class SkewedClock : public Clock {
  public:
    /// The offset holds when the base clock shows `origin`.
    SkewedClock(const Clock& base, Nanoseconds origin, Nanoseconds offset, double fast_ppm)
        : base_(base), origin_(origin), offset_(offset), fast_(fast_ppm * 1e-6) {}

    /// From `time` of the base clock on it runs faster by this much more.
    void step_at(Nanoseconds time, double more_ppm) {
        step_ = time;
        more_ = more_ppm * 1e-6;
    }

    /// What this clock shows when the base clock shows `base`.
    [[nodiscard]] Nanoseconds at(Nanoseconds base) const {
        const auto since = static_cast<double>((base - origin_).count);
        const auto since_step = std::max(0.0, static_cast<double>((base - step_).count));
        return base + offset_ + Nanoseconds{std::llround(since * fast_ + since_step * more_)};
    }

    /// What the base clock showed when this one showed `own`.
    [[nodiscard]] Nanoseconds base_when(Nanoseconds own) const {
        auto moment = origin_;
        for (int i = 0; i < 8; ++i) {
            moment = moment + (own - at(moment));
        }
        return moment;
    }

    [[nodiscard]] Nanoseconds now() const override { return at(base_.now()); }
    [[nodiscard]] std::string_view name() const override { return "skewed"; }
    Nanoseconds wait_until(Nanoseconds time) const override {
        auto reading = now();
        while (reading < time) {
            base_.wait_until(base_.now() + (time - reading));
            reading = now();
        }
        return reading;
    }

  private:
    const Clock& base_;
    Nanoseconds origin_;
    Nanoseconds offset_;
    double fast_;
    Nanoseconds step_{INT64_MAX / 2};
    double more_ = 0;
};

}  // namespace fathom::probe::fakes
