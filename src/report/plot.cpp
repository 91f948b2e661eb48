#include "report/plot.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "base/units.hpp"

namespace fathom::report {
namespace {

constexpr int plot_columns = 60;
constexpr int plot_rows = 12;
constexpr int bar_rows = 20;
constexpr int bar_columns = 48;

/// Where a value falls among `cells` between two ends.
int cell_of(double value, double low, double high, int cells) {
    const double share = high > low ? (value - low) / (high - low) : 0;
    return std::clamp(static_cast<int>(share * cells), 0, cells - 1);
}

}  // namespace

std::string scatter_plot(std::span<const Dot> dots, std::string (*x_text)(double),
                         std::string (*y_text)(double)) {
    if (dots.empty()) {
        return {};
    }
    const auto by_x = [](const Dot& a, const Dot& b) { return a.x < b.x; };
    const auto by_y = [](const Dot& a, const Dot& b) { return a.y < b.y; };
    const auto [left, right] = std::minmax_element(dots.begin(), dots.end(), by_x);
    const auto [lowest, highest] = std::minmax_element(dots.begin(), dots.end(), by_y);
    std::vector<std::string> rows(plot_rows, std::string(plot_columns, ' '));
    for (const auto& dot : dots) {
        const int row = plot_rows - 1 - cell_of(dot.y, lowest->y, highest->y, plot_rows);
        const int column = cell_of(dot.x, left->x, right->x, plot_columns);
        rows[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)] = '*';
    }
    const auto top = y_text(highest->y);
    const auto bottom = y_text(lowest->y);
    const auto width = std::max(top.size(), bottom.size());
    std::string text;
    for (int row = 0; row < plot_rows; ++row) {
        const auto& label = row == 0 ? top : row == plot_rows - 1 ? bottom : std::string();
        text += fmt::format("  {:>{}} |{}\n", label, width, rows[static_cast<std::size_t>(row)]);
    }
    const auto end = x_text(right->x);
    const auto begin = x_text(left->x);
    text += fmt::format("  {:>{}} +{}\n", "", width, std::string(plot_columns, '-'));
    text += fmt::format("  {:>{}}  {:<{}}{}\n", "", width, begin, plot_columns - static_cast<int>(end.size()),
                        end);
    return text;
}

std::string bar_plot(const stats::Histogram& histogram,
                     const std::function<std::string(double)>& value_text) {
    const auto bins = histogram.counts.size();
    const auto per_row = std::max<std::size_t>(1, (bins + bar_rows - 1) / bar_rows);
    std::vector<std::int64_t> rows;
    for (std::size_t bin = 0; bin < bins; bin += per_row) {
        const auto begin = histogram.counts.begin() + static_cast<std::ptrdiff_t>(bin);
        const auto end =
            histogram.counts.begin() + static_cast<std::ptrdiff_t>(std::min(bins, bin + per_row));
        rows.push_back(std::accumulate(begin, end, std::int64_t{0}));
    }
    const auto most = rows.empty() ? 0 : *std::max_element(rows.begin(), rows.end());
    std::string text;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        const auto from = histogram.low + histogram.width * static_cast<double>(row * per_row);
        // A few among many still show.
        const auto filled = most == 0 ? 0 : (rows[row] * bar_columns + most - 1) / most;
        text += fmt::format("  {:>9} |{:<{}} {}\n", value_text(from),
                            std::string(static_cast<std::size_t>(filled), '#'), bar_columns,
                            count_text(rows[row]));
    }
    if (histogram.above > 0) {
        text += fmt::format("  {:>9} |{:<{}} {}\n", "above", "", bar_columns, count_text(histogram.above));
    }
    return text;
}

}  // namespace fathom::report
