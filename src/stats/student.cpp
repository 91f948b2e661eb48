#include "stats/student.hpp"

#include <array>
#include <cmath>
#include <vector>

#include <boost/math/distributions/students_t.hpp>

#include "stats/mean.hpp"
#include "stats/quantile.hpp"

namespace fathom::stats {

double student_factor(double freedom) {
    constexpr double upper = (1 + confidence) / 2;
    using Student = boost::math::students_t_distribution<
        double, boost::math::policies::policy<boost::math::policies::promote_double<false>>>;
    return boost::math::quantile(Student(freedom), upper);
}

double median_price(std::size_t count) {
    // Simulated (known in closed form up to 3); beyond, what they come near.
    constexpr std::array known{1.0, 1.0, 1.0, 1.160, 1.092, 1.198, 1.135, 1.214, 1.160, 1.223, 1.176};
    if (count < known.size()) {
        return known[count];
    }
    constexpr double of_many = 1.2533141;  // the root of pi / 2
    const double less = count % 2 == 1 ? 0.22 : 0.64;
    return of_many * (1 - less / static_cast<double>(count));
}

Interval few_values_ci95(std::span<const double> values) {
    const double middle = median_of({values.begin(), values.end()});
    if (values.size() < 2) {
        return {.low = middle, .high = middle};
    }
    const auto count = static_cast<double>(values.size());
    const double reach =
        student_factor(count - 1) * median_price(values.size()) * std::sqrt(variance(values) / count);
    return {.low = middle - reach, .high = middle + reach};
}

}  // namespace fathom::stats
