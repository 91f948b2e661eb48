#include "stats/piecewise_lines.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stats/least_squares.hpp"

namespace fathom::stats {
namespace {

/// Of one line through values that are added one by one: the weighted sum of squared residuals. It only ever
/// grows, by what the next value is off the line through those before it, so that it is exact to rounding
/// even where the values are on a line.
class GrowingLine {
  public:
    void add(const MeasuredValue& value) {
        const double weight = 1 / (value.error * value.error);
        const double from_centre = value.x - centre_;
        if (weight_ > 0) {
            const double off = value.y - level_ - slope() * from_centre;
            double uncertainty = 1 / weight + 1 / weight_;
            if (spread_ > 0) {
                uncertainty += from_centre * from_centre / spread_;
                misfit_ += off * off / uncertainty;
            }
        }
        const double all = weight_ + weight;
        const double from_level = value.y - level_;
        const double shared = weight_ * weight / all;
        spread_ += shared * from_centre * from_centre;
        product_ += shared * from_centre * from_level;
        centre_ += from_centre * weight / all;
        level_ += from_level * weight / all;
        weight_ = all;
    }
    [[nodiscard]] double misfit() const { return misfit_; }

  private:
    [[nodiscard]] double slope() const { return spread_ > 0 ? product_ / spread_ : 0; }

    double weight_ = 0;
    double centre_ = 0;
    double level_ = 0;
    double spread_ = 0;
    double product_ = 0;
    double misfit_ = 0;
};

/// The best division of the values before each place into each number of lines.
class Divisions {
  public:
    explicit Divisions(std::span<const MeasuredValue> values)
        : lines_(std::clamp<std::size_t>(values.size() / least_line_values, 1, most_lines)),
          places_(values.size() + 1),
          misfit_((lines_ + 1) * places_, std::numeric_limits<double>::infinity()),
          begin_((lines_ + 1) * places_, 0) {
        misfit_[0] = 0;
        const auto least = std::min(least_line_values, values.size());
        for (std::size_t begin = 0; begin < values.size(); ++begin) {
            GrowingLine line;
            for (auto end = begin + 1; end <= values.size(); ++end) {
                line.add(values[end - 1]);
                if (end - begin < least) {
                    continue;
                }
                for (std::size_t lines = 1; lines <= lines_; ++lines) {
                    const double sum = misfit_[at(lines - 1, begin)] + line.misfit();
                    if (sum < misfit_[at(lines, end)]) {
                        misfit_[at(lines, end)] = sum;
                        begin_[at(lines, end)] = begin;
                    }
                }
            }
        }
    }

    [[nodiscard]] std::size_t most() const { return lines_; }
    /// Of all values with this many lines.
    [[nodiscard]] double misfit(std::size_t lines) const { return misfit_[at(lines, places_ - 1)]; }
    /// Where each line begins, and the end of the last.
    [[nodiscard]] std::vector<std::size_t> bounds(std::size_t lines) const {
        std::vector<std::size_t> bounds{places_ - 1};
        for (; lines > 0; --lines) {
            bounds.insert(bounds.begin(), begin_[at(lines, bounds.front())]);
        }
        return bounds;
    }

  private:
    [[nodiscard]] std::size_t at(std::size_t lines, std::size_t end) const { return lines * places_ + end; }

    std::size_t lines_;
    std::size_t places_;
    std::vector<double> misfit_;
    std::vector<std::size_t> begin_;
};

/// Twice the negative logarithm of the likelihood, where errors may all be larger than they say by one
/// factor, which the misfit tells, but not smaller. `free` values are left over after lines were fitted to
/// the others.
double unlikeliness(double misfit, double values, double free) {
    const double factor = misfit / free;
    return factor > 1 ? values * std::log(factor) + free : misfit;
}

std::size_t number_of_lines(const Divisions& divisions, std::size_t count) {
    // Of a line: its two parameters, and twice for where it begins, since the best of all places was taken
    // (Zhang and Siegmund, Biometrics 2007, count a change of the mean as three instead of two).
    constexpr double parameters_per_line = 4;
    const auto values = static_cast<double>(count);
    std::size_t best = 1;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t number = 1; number <= divisions.most(); ++number) {
        const auto lines = static_cast<double>(number);
        const double free = std::max(1.0, values - parameters_per_line * lines);
        const double criterion = unlikeliness(divisions.misfit(number), values, free) +
                                 parameters_per_line * lines * std::log(values);
        if (criterion < least) {
            least = criterion;
            best = number;
        }
    }
    return best;
}

FittedLine line_through(std::span<const MeasuredValue> values, std::size_t begin, std::size_t end) {
    std::vector<double> x;
    std::vector<double> y;
    std::vector<double> weights;
    for (const auto& value : values.subspan(begin, end - begin)) {
        x.push_back(value.x);
        y.push_back(value.y);
        weights.push_back(1 / (value.error * value.error));
    }
    const LineFit line(x, y, weights);
    return {.first = begin, .last = end - 1, .fixed = line.at(0).value, .slope = line.slope().value};
}

}  // namespace

std::vector<FittedLine> piecewise_lines(std::span<const MeasuredValue> values) {
    if (values.size() < 2) {
        return {};
    }
    const Divisions divisions(values);
    const auto bounds = divisions.bounds(number_of_lines(divisions, values.size()));
    std::vector<FittedLine> lines;
    for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
        lines.push_back(line_through(values, bounds[i], bounds[i + 1]));
    }
    return lines;
}

}  // namespace fathom::stats
