#include "stats/reduction.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <vector>

#include "base/error.hpp"
#include "stats/effective_sample_size.hpp"
#include "stats/mean.hpp"
#include "stats/quantile.hpp"
#include "stats/quantile_ci.hpp"
#include "stats/student.hpp"

namespace fathom::stats {
namespace {

BadInput refusal() {
    return BadInput("give median, mean, min, max, skampi-middle or a quantile such as p99");
}

/// The 0.999 of `p99.9`.
double share_of(std::string_view name) {
    const auto number = name.substr(std::min<std::size_t>(1, name.size()));
    double percent = 0;
    const auto* const end = number.data() + number.size();
    const auto [rest, code] = std::from_chars(number.data(), end, percent, std::chars_format::fixed);
    const bool plain = number.find_first_not_of("0123456789.") == std::string_view::npos;
    if (!name.starts_with('p') || !plain || code != std::errc() || rest != end || percent > 100) {
        throw refusal();
    }
    return percent / 100;
}

/// Where no value is negative, no mean is: outliers would have it so.
std::optional<Interval> not_negative(std::optional<Interval> interval, std::span<const double> sorted) {
    if (interval && sorted.front() >= 0) {
        interval->low = std::max(interval->low, 0.0);
    }
    return interval;
}

/// Student's interval of a mean of values with this deviation and effective sample size.
std::optional<Interval> student_ci95(double mean, double deviation, double sample_size, double freedom) {
    if (freedom < 1) {
        return std::nullopt;
    }
    const double reach = student_factor(freedom) * deviation / std::sqrt(sample_size);
    return Interval{mean - reach, mean + reach};
}

/// The mean of the middle half, with Tukey and McLaughlin's interval for trimmed means (Sankhya A 25, 1963):
/// its variance is that of the winsorised values, in which those cut off count as the nearest that are left.
Reduced reduced_to_middle(std::span<const double> sorted, double sample_size) {
    const auto middle = middle_half(sorted);
    std::vector<double> winsorised(sorted.begin(), sorted.end());
    for (auto& value : winsorised) {
        value = std::clamp(value, middle.front(), middle.back());
    }
    const double kept = static_cast<double>(middle.size()) / static_cast<double>(sorted.size());
    const double value = mean(middle);
    return {value,
            student_ci95(value, std::sqrt(variance(winsorised)) / kept, sample_size, kept * sample_size - 1)};
}

}  // namespace

Reduction Reduction::parse(std::string_view name) {
    struct Row {
        std::string_view name;
        Kind kind;
        double share;
    };
    constexpr std::array<Row, 5> rows{{{"median", Kind::quantile, 0.5},
                                       {"mean", Kind::mean, 0},
                                       {"min", Kind::min, 0},
                                       {"max", Kind::max, 0},
                                       {"skampi-middle", Kind::middle, 0}}};
    const auto* const known =
        std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.name == name; });
    if (known != rows.end()) {
        return {known->kind, std::string(name), known->share};
    }
    return {Kind::quantile, std::string(name), share_of(name)};
}

std::optional<Reduced> Reduction::reduce(std::span<const double> in_order) const {
    if (in_order.empty()) {
        return std::nullopt;
    }
    std::vector<double> sorted(in_order.begin(), in_order.end());
    std::sort(sorted.begin(), sorted.end());
    const double sample_size = effective_sample_size(in_order, quantile(sorted, 0.5));
    switch (kind_) {
        case Kind::mean: {
            const double value = mean(sorted);
            return Reduced{value, not_negative(student_ci95(value, std::sqrt(variance(sorted)), sample_size,
                                                            sample_size - 1),
                                               sorted)};
        }
        case Kind::middle:
            return reduced_to_middle(sorted, sample_size);
        case Kind::min:
            return Reduced{sorted.front(), std::nullopt};
        case Kind::max:
            return Reduced{sorted.back(), std::nullopt};
        case Kind::quantile:
            break;
    }
    const auto found = quantile_estimate(in_order, share_);
    return Reduced{found.value, found.ci95};
}

}  // namespace fathom::stats
