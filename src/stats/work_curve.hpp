#pragma once

#include <cstddef>
#include <optional>

namespace fathom::stats {

/// The rule of post-work-wait: how long a program takes from the start of a message to its end while it does
/// more and more work in between. Short work hides behind the message: its times make the base. Long work
/// does not: what is left besides the work is overhead. After Doerfler and Brightwell, EuroPVM/MPI 2006.
class WorkCurve {
  public:
    /// Thresholds are factors of the base: above the first one a time is no longer part of it, above the
    /// second one (with more work than the message takes) the work need grow no more.
    WorkCurve(double base_threshold, double stop_threshold);

    /// The next step: its work, not less than that of the step before, and what the iteration took.
    void add(double work, double time);

    /// The mean of all times that belong to the base, each with equal weight; nothing before the first step.
    [[nodiscard]] std::optional<double> base() const;
    /// How many steps belong to it. The first one always does; from the first that exceeds the threshold on,
    /// none does.
    [[nodiscard]] std::size_t base_steps() const { return base_steps_; }
    /// Whether a step exceeded the threshold.
    [[nodiscard]] bool closed() const { return closed_; }
    /// The work of the step that did: the knee of the curve lies before it.
    [[nodiscard]] std::optional<double> first_work_beyond() const { return first_work_beyond_; }
    /// Whether the last step shows the overhead: its time exceeds the stop threshold, and its work clearly
    /// exceeds both the base and the time of the transfer, where that is known.
    [[nodiscard]] bool stops(double transfer = 0) const;

  private:
    double base_threshold_;
    double stop_threshold_;
    double base_sum_ = 0;
    std::size_t base_steps_ = 0;
    bool closed_ = false;
    std::optional<double> first_work_beyond_;
    double last_work_ = 0;
    double last_time_ = 0;
};

/// By how much work must exceed the transfer for the overhead to be all that is left.
inline constexpr double work_beyond_transfer = 1.25;

/// The threshold of the base that this noise asks for (relative standard error of a step's time): three
/// times the noise, within the 2 to 5 % that proved good.
double base_threshold_for(double relative_noise);

}  // namespace fathom::stats
