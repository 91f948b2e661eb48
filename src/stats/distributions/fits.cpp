#include "stats/distributions/fits.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <boost/math/constants/constants.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/tools/minima.hpp>
#include <boost/math/tools/toms748_solve.hpp>

namespace fathom::stats {
namespace {

/// In double throughout: long double takes many times as long.
using Double = boost::math::policies::policy<boost::math::policies::promote_double<false>>;

double normal_below(double x) {
    return boost::math::cdf(boost::math::normal_distribution<double, Double>(), x);
}

struct Moments {
    double weight = 0;
    double mean = 0;
    double deviation = 0;  ///< that of most likelihood: by n, not n - 1
};

/// Of the values put through a function, in one pass.
template <typename Function>
Moments moments_of(std::span<const Weighted> values, const Function& function) {
    Moments made;
    double squares = 0;
    for (const auto& [value, weight] : values) {
        const double x = function(value);
        made.weight += weight;
        const double off = x - made.mean;
        made.mean += off * weight / made.weight;
        squares += weight * off * (x - made.mean);
    }
    made.deviation = std::sqrt(std::max(0.0, squares / made.weight));
    return made;
}

/// The log-likelihood of normal values under their own mean and deviation.
double own_likelihood(const Moments& moments) {
    const double tau = boost::math::constants::two_pi<double>();
    return -moments.weight * (std::log(moments.deviation) + (std::log(tau) + 1) / 2);
}

std::optional<Fitted> fit_normal(std::span<const Weighted> values) {
    const auto moments = moments_of(values, [](double value) { return value; });
    if (!(moments.deviation > 0)) {
        return std::nullopt;
    }
    return Fitted{.family = Family::normal,
                  .place = moments.mean,
                  .spread = moments.deviation,
                  .shift = 0,
                  .log_likelihood = own_likelihood(moments)};
}

/// The best log-normal distribution that begins at a shift, which lies below all values.
std::optional<Fitted> fit_above(std::span<const Weighted> values, double shift, Family family) {
    const auto moments = moments_of(values, [&](double value) { return std::log(value - shift); });
    if (!(moments.deviation > 0)) {
        return std::nullopt;
    }
    return Fitted{.family = family,
                  .place = moments.mean,
                  .spread = moments.deviation,
                  .shift = shift,
                  .log_likelihood = own_likelihood(moments) - moments.weight * moments.mean};
}

double middle_of(std::span<const Weighted> values) {
    double all = 0;
    for (const auto& value : values) {
        all += value.weight;
    }
    double seen = 0;
    for (const auto& value : values) {
        seen += value.weight;
        if (2 * seen >= all) {
            return value.value;
        }
    }
    return values.back().value;
}

/// The shift is looked for by the logarithm of its distance to the smallest value: first on a grid, then
/// between the neighbours of the best place that is better than both of them.
class ShiftSearch {
  public:
    explicit ShiftSearch(std::span<const Weighted> values) : values_(values) {}

    [[nodiscard]] std::optional<Fitted> best() const {
        constexpr int points = 48;
        constexpr double nearest = 1e-4;
        const double least = values_.front().value;
        const double low = std::log(nearest * (middle_of(values_) - least));
        const double high = std::log(least);
        if (!std::isfinite(low) || low >= high) {
            return std::nullopt;
        }
        const double step = (high - low) / points;
        std::vector<double> likelihoods;
        for (int i = 0; i <= points; ++i) {
            likelihoods.push_back(at(low + i * step));
        }
        std::optional<std::size_t> top;
        for (std::size_t i = 1; i < likelihoods.size(); ++i) {
            const bool last = i + 1 == likelihoods.size();
            if (likelihoods[i] > likelihoods[i - 1] && (last || likelihoods[i] >= likelihoods[i + 1]) &&
                (!top || likelihoods[i] > likelihoods[*top])) {
                top = i;
            }
        }
        if (!top) {
            return std::nullopt;  // the nearer the better: there is no shift to be told
        }
        const double place = low + static_cast<double>(*top) * step;
        const double end = std::min(high, place + step);
        constexpr int bits = 16;
        const auto [narrowed, least_of_minus] = boost::math::tools::brent_find_minima(
            [&](double log_distance) { return -at(log_distance); }, place - step, end, bits);
        // Where the likelihood rises to the end, Brent's method only comes near it.
        return fitted(at(end) >= -least_of_minus ? end : narrowed);
    }

  private:
    [[nodiscard]] std::optional<Fitted> fitted(double log_distance) const {
        const double least = values_.front().value;
        const double shift = std::max(0.0, least - std::exp(log_distance));
        return fit_above(values_, shift, Family::shifted_log_normal);
    }

    [[nodiscard]] double at(double log_distance) const {
        const auto found = fitted(log_distance);
        return found ? found->log_likelihood : -std::numeric_limits<double>::infinity();
    }

    std::span<const Weighted> values_;
};

/// ln k - digamma(k) = ln mean - mean of ln. The left side lies between 1 / 2k and 1 / k.
std::optional<Fitted> fit_gamma(std::span<const Weighted> values) {
    const auto plain = moments_of(values, [](double value) { return value; });
    const auto logs = moments_of(values, [](double value) { return std::log(value); });
    const double gap = std::log(plain.mean) - logs.mean;
    // Below this, rounding is larger than what the shape follows from.
    constexpr double least_gap = 1e-11;
    if (!(gap > least_gap)) {
        return std::nullopt;
    }
    const auto off = [&](double shape) {
        return std::log(shape) - boost::math::digamma(shape, Double()) - gap;
    };
    constexpr double least = 0.49;  // near 1 / 2k for large shapes, where rounding must not change the sign
    constexpr int bits = 40;
    std::uintmax_t steps = 100;
    const auto [low, high] = boost::math::tools::toms748_solve(
        off, least / gap, 1 / gap, boost::math::tools::eps_tolerance<double>(bits), steps);
    const double shape = (low + high) / 2;
    const double scale = plain.mean / shape;
    return Fitted{
        .family = Family::gamma,
        .place = scale,
        .spread = shape,
        .shift = 0,
        .log_likelihood = plain.weight * ((shape - 1) * logs.mean - shape -
                                          boost::math::lgamma(shape, Double()) - shape * std::log(scale))};
}

/// How many values may be looked at one by one, and how many of the outermost always are.
constexpr std::size_t few = 2048;
constexpr std::size_t outermost = 256;

}  // namespace

double Fitted::below(double value) const {
    switch (family) {
        case Family::normal:
            return normal_below((value - place) / spread);
        case Family::gamma:
            return value > 0 ? boost::math::gamma_p(spread, value / place, Double()) : 0;
        case Family::log_normal:
        case Family::shifted_log_normal:
            break;
    }
    return value > shift ? normal_below((std::log(value - shift) - place) / spread) : 0;
}

std::vector<Weighted> condensed(std::span<const double> sorted) {
    std::vector<Weighted> made;
    const auto n = sorted.size();
    const auto group = n <= few ? 1 : (n - 2 * outermost) / (few - 2 * outermost) + 1;
    for (std::size_t i = 0; i < n;) {
        const bool inside = i >= outermost && i + group + outermost <= n;
        const auto count = inside ? group : 1;
        double sum = 0;
        for (std::size_t j = i; j < i + count; ++j) {
            sum += sorted[j];
        }
        made.push_back({sum / static_cast<double>(count), static_cast<double>(count)});
        i += count;
    }
    return made;
}

std::optional<Fitted> fit(Family family, std::span<const Weighted> values) {
    if (values.empty() || !(values.front().value < values.back().value)) {
        return std::nullopt;
    }
    if (family == Family::normal) {
        return fit_normal(values);
    }
    if (values.front().value <= 0) {
        return std::nullopt;
    }
    switch (family) {
        case Family::gamma:
            return fit_gamma(values);
        case Family::shifted_log_normal:
            return ShiftSearch(values).best();
        default:
            return fit_above(values, 0, family);
    }
}

double distance(const Fitted& fitted, std::span<const double> sorted) {
    const auto n = sorted.size();
    const auto step = n / few + 1;
    double largest = 0;
    for (std::size_t i = 0; i + 1 < n; i += step) {
        while (i + 1 < n && sorted[i + 1] == sorted[i]) {
            ++i;
        }
        if (i + 1 < n) {
            const double share = static_cast<double>(i + 1) / static_cast<double>(n);
            largest = std::max(largest, std::abs(share - fitted.below((sorted[i] + sorted[i + 1]) / 2)));
        }
    }
    return largest;
}

double critical_distance(const Fitted& fitted, double n) {
    // Lilliefors' limit for normal values (Stephens' form of it). Those of the others are simulated, from 30
    // to 1000 values: they follow the shape, and not where and how wide a distribution is.
    double limit = 0.895;
    if (fitted.family == Family::gamma) {
        limit += 0.045 * std::pow(fitted.spread, -0.6);
    } else if (fitted.family == Family::shifted_log_normal && fitted.shift > 0) {
        limit = std::min(limit, 0.81 + 0.045 * fitted.spread);
    }
    // Halfway between neighbours the distance is smaller by half a value; the rest is Stephens' too.
    constexpr double of_few = 0.9;
    const double root = std::sqrt(n);
    return std::max(0.0, limit - of_few / root) / root;
}

}  // namespace fathom::stats
