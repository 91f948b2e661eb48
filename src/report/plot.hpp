#pragma once

#include <functional>
#include <span>
#include <string>

#include "stats/distributions/histogram.hpp"

namespace fathom::report {

/// A point of a drawing.
struct Dot {
    double x = 0;
    double y = 0;
};

/// Dots on a grid of letters, with the largest and smallest y at the left and the ends of x below. `x_text`
/// and `y_text` turn numbers into labels.
std::string scatter_plot(std::span<const Dot> dots, std::string (*x_text)(double),
                         std::string (*y_text)(double));

/// A horizontal histogram: one bar per line, several bins in each.
std::string bar_plot(const stats::Histogram& histogram, const std::function<std::string(double)>& value_text);

}  // namespace fathom::report
