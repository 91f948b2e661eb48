#include "analysis/point/outlier_fence.hpp"

#include <algorithm>
#include <cmath>

#include "stats/distributions/fits.hpp"
#include "stats/quantile.hpp"

namespace fathom::analysis {
namespace {

using stats::Family;

std::string name_of(Family family) {
    switch (family) {
        case Family::normal:
            return "normal";
        case Family::log_normal:
            return "log-normal";
        case Family::shifted_log_normal:
            return "shifted log-normal";
        case Family::gamma:
            break;
    }
    return "gamma";
}

std::vector<FitParameter> parameters_of(const stats::Fitted& fitted) {
    switch (fitted.family) {
        case Family::normal:
            return {{"mean_ns", fitted.place}, {"deviation_ns", fitted.spread}};
        case Family::log_normal:
            return {{"median_ns", std::exp(fitted.place)}, {"sigma", fitted.spread}};
        case Family::shifted_log_normal:
            return {{"shift_ns", fitted.shift},
                    {"median_above_shift_ns", std::exp(fitted.place)},
                    {"sigma", fitted.spread}};
        case Family::gamma:
            break;
    }
    return {{"shape", fitted.spread}, {"scale_ns", fitted.place}};
}

}  // namespace

double body_end(std::span<const double> sorted) {
    constexpr double part = 0.05;
    constexpr double fence = 3;
    const double least = sorted.front();
    // Without a part of the median added, the smallest times would be infinitely far from the others.
    const double added = part * (stats::quantile(sorted, 0.5) - least);
    if (!(added > 0)) {
        return sorted.back();
    }
    const auto height = [&](double q) { return std::log(stats::quantile(sorted, q) - least + added); };
    const double lower = height(0.25);
    const double upper = height(0.75);
    return std::min(sorted.back(), least - added + std::exp(upper + fence * (upper - lower)));
}

std::vector<Fit> fits_of(std::span<const double> body, double sample_size) {
    std::vector<Fit> fits;
    const auto values = stats::condensed(body);
    // Times are weighted by the effective sample size, in the likelihood and in the cost of a parameter.
    const double weight = sample_size / static_cast<double>(body.size());
    constexpr double least_price = 2;  // parameters always cost something
    constexpr double enough_to_judge = 10;
    for (const auto family :
         {Family::normal, Family::log_normal, Family::shifted_log_normal, Family::gamma}) {
        const auto fitted = stats::fit(family, values);
        if (!fitted) {
            continue;
        }
        const double distance = stats::distance(*fitted, body);
        fits.push_back(
            {.family = name_of(family),
             .parameters = parameters_of(*fitted),
             .criterion = fitted->parameters() * std::log(std::max(least_price, sample_size)) -
                          2 * weight * fitted->log_likelihood,
             .distance = distance,
             .good = sample_size >= enough_to_judge
                         ? std::optional(distance <= stats::critical_distance(*fitted, sample_size))
                         : std::nullopt});
    }
    std::sort(fits.begin(), fits.end(), [](const Fit& a, const Fit& b) { return a.criterion < b.criterion; });
    return fits;
}

}  // namespace fathom::analysis
