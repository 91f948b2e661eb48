#include "stats/between_runs/between_runs.hpp"

#include <algorithm>
#include <cmath>

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

#include "stats/comparison/scatter.hpp"
#include "stats/quantile.hpp"
#include "stats/student.hpp"

namespace fathom::stats {
namespace {

/// How alike points are: the variance of all is weighted like this many degrees of freedom of a point.
constexpr double weight_of_all = 4;
/// A step less likely than this by the others is a change: one of a hundred is lost where nothing changed.
constexpr double rejection_level = 0.01;

/// Smallest relative error of a time.
constexpr double rounding = 1e-9;

/// Degrees of freedom of the mean square of so many successive differences of independent values (von
/// Neumann, Ann. Math. Stat. 12, 1941): those next to each other share a value.
double freedom_of_steps(std::size_t steps) {
    const auto count = static_cast<double>(steps);
    return 2 * count * count / (3 * count - 1);
}

/// A step between two values with the same variance, and the variance it has besides that, squared.
struct Step {
    double square = 0;
    double noise = 0;
};

/// Variance of the runs behind these steps; 0 if noise explains them.
double variance_of(const std::vector<Step>& steps) {
    double sum = 0;
    for (const auto& step : steps) {
        sum += step.square - step.noise;
    }
    return std::max(0.0, sum / 2 / static_cast<double>(steps.size()));
}

KnownVariance mixed(const KnownVariance& prior, double value, double freedom) {
    const double own = prior.freedom.value_or(0);
    return {.value = (own * prior.value + freedom * value) / (own + freedom), .freedom = own + freedom};
}

/// Turns the assumed deviation into a prior with one degree of freedom that reaches as far. More would
/// outweigh a few runs that show less.
KnownVariance as_prior(const KnownVariance& assumed) {
    constexpr double freedom = 1;
    const double scale = assumed.reach() / student_factor(freedom);
    return {.value = scale * scale, .freedom = freedom};
}

/// The square of a step that is exceeded at this level, on one side, if it is like these others. One alone is
/// held against what is assumed, as if that were known: a wide assumption would let every change pass.
double largest_likely(const std::vector<Step>& others, const KnownVariance& prior, double noise,
                      double level) {
    if (others.empty()) {
        const double deviation = prior.reach() / normal_factor;
        const double most =
            boost::math::quantile(boost::math::complement(boost::math::normal_distribution<>(), level));
        return most * most * (2 * deviation * deviation + noise);
    }
    const auto known = mixed(prior, variance_of(others), freedom_of_steps(others.size()));
    const boost::math::students_t student(known.freedom.value_or(1));
    const double most = boost::math::quantile(boost::math::complement(student, level));
    return most * most * (2 * known.value + noise);
}

/// Level at which the largest of so many steps is a change, on one side: it may be as large as one of so many
/// is.
double level_for(std::size_t steps) {
    return rejection_level / 2 / static_cast<double>(steps);
}

/// Takes out steps, the largest first, that what is assumed and the others together make unlikely.
void reject(std::vector<Step>& steps, const KnownVariance& prior) {
    while (!steps.empty()) {
        const auto largest = std::max_element(
            steps.begin(), steps.end(), [](const auto& a, const auto& b) { return a.square < b.square; });
        auto others = steps;
        others.erase(others.begin() + (largest - steps.begin()));
        if (largest->square <= largest_likely(others, prior, largest->noise, level_for(steps.size()))) {
            break;
        }
        steps = std::move(others);
    }
}

/// The steps from one run to the next.
struct Pairing {
    std::vector<std::optional<Step>> own;  ///< of each point, besides the common one
    std::vector<Deviation> deviations;     ///< the same of the points in both runs
    double common = 0;
    double noise = 0;        ///< variance of the points' steps by their launches, on average
    std::size_t points = 0;  ///< in both runs
};

std::optional<Pairing> pairing(const RunValues& one, const RunValues& next) {
    Pairing found;
    std::vector<double> differences;
    for (std::size_t i = 0; i < one.size(); ++i) {
        if (one[i] && next[i]) {
            differences.push_back(next[i]->logarithm - one[i]->logarithm);
            found.noise += one[i]->variance + next[i]->variance;
        }
    }
    if (differences.empty()) {
        return std::nullopt;
    }
    const auto count = static_cast<double>(differences.size());
    found.points = differences.size();
    found.noise /= count;
    found.common = median_of(differences);
    found.own.resize(one.size());
    if (differences.size() < 2) {
        return found;
    }
    // What is left is smaller, since the middle is nearer to the points than the truth is.
    const double lost = count / (count - 1);
    for (std::size_t i = 0; i < one.size(); ++i) {
        if (one[i] && next[i]) {
            const double rest = next[i]->logarithm - one[i]->logarithm - found.common;
            const double noise = one[i]->variance + next[i]->variance;
            found.own[i] = Step{.square = rest * rest * lost, .noise = noise};
            found.deviations.push_back(
                {.value = rest * std::sqrt(lost), .error = std::hypot(std::sqrt(noise), rounding)});
        }
    }
    return found;
}

/// What each point has of its own between runs, as all points show it.
struct OwnOfAll {
    double variance = 0;
    double freedom = 0;
};

OwnOfAll own_of_all(const std::vector<Pairing>& pairings) {
    std::vector<Deviation> own;
    for (const auto& pair : pairings) {
        own.insert(own.end(), pair.deviations.begin(), pair.deviations.end());
    }
    constexpr double most_scatter = 1;
    const double of_steps = excess_scatter(own, most_scatter);
    return {.variance = of_steps * of_steps / 2, .freedom = own.empty() ? 0 : freedom_of_scatter(own.size())};
}

/// The step that all points share, if each has this variance of its own.
Step common_step(const Pairing& pair, double own) {
    const double price = median_price(pair.points);
    return {.square = pair.common * pair.common,
            .noise = price * price * (2 * own + pair.noise) / static_cast<double>(pair.points)};
}

std::vector<Step> common_steps(const std::vector<Pairing>& pairings, double own) {
    std::vector<Step> steps;
    for (const auto& pair : pairings) {
        steps.push_back(common_step(pair, own));
    }
    return steps;
}

/// Takes out whole pairings, the largest common step first, that what is assumed and the others together make
/// unlikely. A change rarely affects all points alike, so it says nothing of each point for itself either.
std::size_t reject(std::vector<Pairing>& pairings, const KnownVariance& assumed) {
    std::size_t rejected = 0;
    while (!pairings.empty()) {
        const auto largest = std::max_element(
            pairings.begin(), pairings.end(),
            [](const auto& a, const auto& b) { return std::abs(a.common) < std::abs(b.common); });
        auto others = pairings;
        others.erase(others.begin() + (largest - pairings.begin()));
        const double own = own_of_all(others.empty() ? pairings : others).variance;
        const auto step = common_step(*largest, own);
        if (step.square <=
            largest_likely(common_steps(others, own), assumed, step.noise, level_for(pairings.size()))) {
            break;
        }
        pairings = std::move(others);
        ++rejected;
    }
    return rejected;
}

}  // namespace

double KnownVariance::reach() const {
    return (freedom ? student_factor(*freedom) : normal_factor) * std::sqrt(value);
}

BetweenRuns between_runs(const std::vector<RunValues>& runs, std::size_t points, double assumed_deviation) {
    const KnownVariance as_known{.value = assumed_deviation * assumed_deviation};
    BetweenRuns found{.points = std::vector<KnownVariance>(points, as_known), .usual = as_known};
    const auto assumed = as_prior(as_known);
    std::vector<Pairing> pairings;
    for (std::size_t run = 1; run < runs.size(); ++run) {
        if (auto pair = pairing(runs[run - 1], runs[run])) {
            pairings.push_back(std::move(*pair));
        }
    }
    found.rejected = reject(pairings, assumed);
    found.steps = pairings.size();
    if (pairings.empty()) {
        return found;
    }
    const auto [all_own, freedom_of_all] = own_of_all(pairings);
    const auto common = common_steps(pairings, all_own);
    const double freedom_of_common = freedom_of_steps(common.size());
    const double of_common = variance_of(common);
    const auto whole = [&](double of_own, double freedom_of_own) {
        // Welch and Satterthwaite. Never fewer than the steps that all points share.
        const double sum = of_common + of_own;
        const double squares = of_common * of_common / freedom_of_common +
                               (freedom_of_own > 0 ? of_own * of_own / freedom_of_own : 0);
        const double freedom = squares > 0 ? sum * sum / squares : freedom_of_common;
        return mixed(assumed, sum, std::max(freedom, freedom_of_common));
    };
    found.usual = whole(all_own, freedom_of_all);
    for (std::size_t i = 0; i < points; ++i) {
        std::vector<Step> steps;
        for (const auto& pair : pairings) {
            if (pair.own[i]) {
                steps.push_back(*pair.own[i]);
            }
        }
        const KnownVariance prior{.value = all_own, .freedom = std::min(weight_of_all, freedom_of_all)};
        if (!steps.empty() && freedom_of_all > 0) {
            reject(steps, prior);
        }
        if (steps.empty()) {
            found.points[i] = found.usual;
            continue;
        }
        const auto of_own = mixed(prior, variance_of(steps), freedom_of_steps(steps.size()));
        found.points[i] = whole(of_own.value, of_own.freedom.value_or(0));
    }
    return found;
}

void include_other_runs(Ratio& ratio, const KnownVariance& first, const KnownVariance& second) {
    const double more = first.value + second.value;
    if (more <= 0) {
        return;
    }
    // Welch and Satterthwaite.
    double squares = ratio.error > 0 ? std::pow(ratio.error, 4) / ratio.freedom : 0;
    for (const auto* variance : {&first, &second}) {
        squares += variance->freedom ? variance->value * variance->value / *variance->freedom : 0;
    }
    const double whole = ratio.error * ratio.error + more;
    constexpr double as_good_as_known = 1e6;
    ratio.freedom =
        squares > 0 ? std::clamp(whole * whole / squares, 1.0, as_good_as_known) : as_good_as_known;
    ratio.error = std::sqrt(whole);
    const double reach = student_factor(ratio.freedom) * ratio.error;
    // The range is apart from it: what disturbed repetitions may hide is no error.
    const auto wider = [&](double end, double range, double sign) {
        const double own = std::abs(std::log(end / range));
        return std::isfinite(own) ? range * std::exp(sign * std::max(own, reach)) : end;
    };
    if (is_open(ratio.range)) {
        ratio.ci95 = {.low = std::min(ratio.ci95.low, ratio.value * std::exp(-reach)),
                      .high = std::max(ratio.ci95.high, ratio.value * std::exp(reach))};
    } else {
        ratio.ci95 = {.low = wider(ratio.ci95.low, ratio.range.low, -1),
                      .high = wider(ratio.ci95.high, ratio.range.high, 1)};
    }
    if (ratio.p_value < 1) {
        const double distance = ratio.value > 1 ? std::log(ratio.range.low) : -std::log(ratio.range.high);
        const boost::math::students_t student(ratio.freedom);
        ratio.p_value = std::max(
            ratio.p_value, 2 * boost::math::cdf(boost::math::complement(student, distance / ratio.error)));
    }
}

}  // namespace fathom::stats
