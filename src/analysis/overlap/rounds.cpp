#include "analysis/overlap/rounds.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "stats/quantile_ci.hpp"
#include "stats/student.hpp"

namespace fathom::analysis {
namespace {

template <typename Combine>
std::vector<std::optional<double>> by_round(const std::vector<std::optional<double>>& a,
                                            const std::vector<std::optional<double>>& b, Combine combine) {
    std::vector<std::optional<double>> made(std::min(a.size(), b.size()));
    for (std::size_t round = 0; round < made.size(); ++round) {
        if (a[round] && b[round]) {
            made[round] = combine(*a[round], *b[round]);
        }
    }
    return made;
}

std::vector<std::optional<double>> all_of(double value, std::size_t rounds) {
    return std::vector<std::optional<double>>(rounds, value);
}

}  // namespace

std::vector<double> Rounds::known() const {
    std::vector<double> found;
    for (const auto& value : values_) {
        if (value) {
            found.push_back(*value);
        }
    }
    return found;
}

std::optional<stats::Reduced> Rounds::median() const {
    auto values = known();
    if (values.empty()) {
        return std::nullopt;
    }
    std::sort(values.begin(), values.end());
    // Rounds are independent by design: each has its own buffers, and its steps in another order.
    const auto count = static_cast<double>(values.size());
    const auto found = stats::quantile_estimate(values, 0.5, [&](double /*threshold*/) { return count; });
    return stats::Reduced{.value = found.value, .ci95 = found.ci95};
}

Rounds operator+(const Rounds& a, const Rounds& b) {
    return Rounds(by_round(a.values_, b.values_, [](double x, double y) { return x + y; }));
}

Rounds operator-(const Rounds& a, const Rounds& b) {
    return Rounds(by_round(a.values_, b.values_, [](double x, double y) { return x - y; }));
}

Rounds operator/(const Rounds& a, const Rounds& b) {
    return Rounds(by_round(a.values_, b.values_,
                           [](double x, double y) { return y > 0 ? std::optional(x / y) : std::nullopt; }));
}

Rounds operator-(double a, const Rounds& b) {
    return Rounds(all_of(a, b.values_.size())) - b;
}

Rounds operator-(const Rounds& a, double b) {
    return a - Rounds(all_of(b, a.values_.size()));
}

Rounds smaller(const Rounds& a, const Rounds& b) {
    return Rounds(by_round(a.values_, b.values_, [](double x, double y) { return std::min(x, y); }));
}

std::optional<stats::Reduced> ratio_of_sums(const Rounds& a, const Rounds& b) {
    std::vector<double> above;
    std::vector<double> below;
    for (std::size_t round = 0; round < std::min(a.values_.size(), b.values_.size()); ++round) {
        if (a.values_[round] && b.values_[round]) {
            above.push_back(*a.values_[round]);
            below.push_back(*b.values_[round]);
        }
    }
    const double sum = std::accumulate(below.begin(), below.end(), 0.0);
    if (!(sum > 0)) {
        return std::nullopt;
    }
    stats::Reduced ratio{.value = std::accumulate(above.begin(), above.end(), 0.0) / sum, .ci95 = {}};
    const auto count = static_cast<double>(above.size());
    if (above.size() > 1) {
        double squares = 0;
        for (std::size_t i = 0; i < above.size(); ++i) {
            const double off = above[i] - ratio.value * below[i];
            squares += off * off;
        }
        const double reach =
            stats::student_factor(count - 1) * std::sqrt(squares / (count - 1) / count) / (sum / count);
        ratio.ci95 = stats::Interval{.low = ratio.value - reach, .high = ratio.value + reach};
    }
    return ratio;
}

bool includes_none(const stats::Reduced& figure) {
    return figure.ci95 && figure.ci95->low <= 0 && figure.ci95->high >= 0;
}

bool disjoint(const stats::Reduced& a, const stats::Reduced& b) {
    return a.ci95 && b.ci95 && (a.ci95->high < b.ci95->low || b.ci95->high < a.ci95->low);
}

}  // namespace fathom::analysis
