#include "stats/comparison/welch.hpp"

#include <algorithm>
#include <cmath>

#include <boost/math/distributions/students_t.hpp>

#include "stats/mean.hpp"

namespace fathom::stats {

double welch_p(std::span<const double> first, std::span<const double> second) {
    if (std::min(first.size(), second.size()) < 2) {
        return 1;
    }
    const auto count = [](std::span<const double> values) { return static_cast<double>(values.size()); };
    const double of_first = variance(first) / count(first);
    const double of_second = variance(second) / count(second);
    const double difference = mean(first) - mean(second);
    const double both = of_first + of_second;
    if (both <= 0) {
        return difference == 0 ? 1 : 0;
    }
    // Welch and Satterthwaite's degrees of freedom.
    const double freedom =
        both * both /
        (of_first * of_first / (count(first) - 1) + of_second * of_second / (count(second) - 1));
    const double t = std::abs(difference) / std::sqrt(both);
    using Student = boost::math::students_t_distribution<
        double, boost::math::policies::policy<boost::math::policies::promote_double<false>>>;
    return 2 * boost::math::cdf(boost::math::complement(Student(freedom), t));
}

}  // namespace fathom::stats
