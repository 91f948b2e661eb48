#include "report/tree_svg.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/units.hpp"
#include "base/xml.hpp"

namespace fathom::report {
namespace {

using tree::TimemapLine;
using tree::TreeAnalysis;

// Layout in pixels: text of 12 pixels, room for labels on the left and below.
constexpr double panel_width = 900;
constexpr double panel_height = 320;
constexpr double left_margin = 80;
constexpr double right_margin = 24;
constexpr double top_margin = 40;
constexpr double bottom_margin = 48;
constexpr int ticks_of_axis = 6;

/// Colours that most people with a colour deficiency can distinguish (Okabe and Ito 2008).
constexpr std::array<std::string_view, 7> line_colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                       "#e69f00", "#56b4e9", "#000000"};

struct SvgPoint {
    double x = 0;
    double y = 0;
};

struct SvgLine {
    std::string name;
    std::size_t colour = 0;
    std::vector<SvgPoint> points;
    std::string legend = {};  ///< its name there, if that is another one
    bool in_legend = true;
};

/// A diagram of lines over two axes.
struct SvgPanel {
    std::string title;
    std::string x_label;
    std::string y_label;
    std::vector<SvgLine> lines;
    bool y_downwards = false;  ///< y = 0 at the top
    bool x_is_time = true;
    bool y_is_time = false;
};

struct AxisRange {
    double low = 0;
    double high = 1;

    [[nodiscard]] double share(double value) const { return (value - low) / (high - low); }
};

AxisRange range_of(const SvgPanel& panel, double SvgPoint::*axis) {
    AxisRange range{.low = 0, .high = 0};  // 0 is on every axis
    for (const auto& line : panel.lines) {
        for (const auto& point : line.points) {
            range.low = std::min(range.low, point.*axis);
            range.high = std::max(range.high, point.*axis);
        }
    }
    if (range.high <= range.low) {
        range.high = range.low + 1;
    }
    return range;
}

/// A round step between ticks.
double tick_step(const AxisRange& range) {
    const double rough = (range.high - range.low) / ticks_of_axis;
    const double power = std::pow(10, std::floor(std::log10(rough)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (rough <= factor * power) {
            return factor * power;
        }
    }
    return 10 * power;
}

std::string signed_time(double ns) {
    return ns < 0 ? "-" + time_text(-ns) : ns > 0 ? time_text(ns) : "0";
}

std::string tick_label(double value, bool is_time) {
    return is_time ? signed_time(value) : fmt::format("{:g}", value);
}

/// Draws panels below each other.
class SvgPicture {
  public:
    explicit SvgPicture(std::string title) : title_(std::move(title)) {}

    void add(const SvgPanel& panel) {
        x_ = range_of(panel, &SvgPoint::x);
        y_ = range_of(panel, &SvgPoint::y);
        downwards_ = panel.y_downwards;
        text(left_margin, top_ + 22, "start", panel.title, "font-weight=\"bold\"");
        draw_axes(panel);
        for (const auto& line : panel.lines) {
            draw(line);
        }
        draw_legend(panel);
        top_ += panel_height;
    }

    [[nodiscard]] std::string svg() const {
        return fmt::format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
            "font-family=\"sans-serif\" font-size=\"12\">\n<title>{2}</title>\n"
            "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
            "<text x=\"{3}\" y=\"24\" font-size=\"15\">{2}</text>\n{4}</svg>\n",
            panel_width, top_, xml_text(title_), left_margin, body_);
    }

  private:
    [[nodiscard]] double at_x(double value) const {
        return left_margin + x_.share(value) * (panel_width - left_margin - right_margin);
    }
    [[nodiscard]] double at_y(double value) const {
        const double height = panel_height - top_margin - bottom_margin;
        const double share = downwards_ ? y_.share(value) : 1 - y_.share(value);
        return top_ + top_margin + share * height;
    }

    void text(double x, double y, std::string_view anchor, const std::string& words,
              std::string_view more = "") {
        body_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" {}>{}</text>\n", x, y,
                             anchor, more, xml_text(words));
    }

    void rule(double x1, double y1, double x2, double y2, std::string_view colour) {
        body_ +=
            fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", x1,
                        y1, x2, y2, colour);
    }

    void draw_axes(const SvgPanel& panel) {
        const double bottom = top_ + panel_height - bottom_margin;
        const double step = tick_step(x_);
        for (double tick = std::ceil(x_.low / step) * step; tick <= x_.high + step / 1000; tick += step) {
            const double value = std::abs(tick) < step / 1000 ? 0 : tick;
            rule(at_x(value), top_ + top_margin, at_x(value), bottom, value == 0 ? "#666666" : "#dddddd");
            text(at_x(value), bottom + 16, "middle", tick_label(value, panel.x_is_time));
        }
        const double y_step = panel.y_is_time ? tick_step(y_) : std::max(1.0, tick_step(y_));
        for (double tick = 0; tick <= y_.high + y_step / 1000; tick += y_step) {
            rule(left_margin, at_y(tick), panel_width - right_margin, at_y(tick), "#eeeeee");
            text(left_margin - 6, at_y(tick) + 4, "end", tick_label(tick, panel.y_is_time));
        }
        text(panel_width / 2, bottom + 36, "middle", panel.x_label);
        const double middle = top_ + panel_height / 2;
        text(16, middle, "middle", panel.y_label, fmt::format("transform=\"rotate(-90 16 {:.1f})\"", middle));
    }

    void draw(const SvgLine& line) {
        std::string points;
        for (const auto& point : line.points) {
            points += fmt::format("{:.1f},{:.1f} ", at_x(point.x), at_y(point.y));
        }
        body_ += fmt::format(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-opacity=\"0.7\">"
            "<title>{}</title></polyline>\n",
            points, line_colours[line.colour % line_colours.size()], xml_text(line.name));
    }

    /// Names of lines, unless there are too many: then each shows its own under the pointer.
    void draw_legend(const SvgPanel& panel) {
        constexpr std::ptrdiff_t most_names = 12;
        if (std::ranges::count_if(panel.lines, &SvgLine::in_legend) > most_names) {
            return;
        }
        double y = top_ + top_margin + 14;
        for (const auto& line : panel.lines) {
            if (!line.in_legend) {
                continue;
            }
            text(panel_width - right_margin - 6, y, "end", line.legend.empty() ? line.name : line.legend,
                 fmt::format("fill=\"{}\"", line_colours[line.colour % line_colours.size()]));
            y += 15;
        }
    }

    std::string title_;
    std::string body_;
    double top_ = 40;
    AxisRange x_;
    AxisRange y_;
    bool downwards_ = false;
};

/// What makes the root's depth in a line 1.
double scale_to_one(const TimemapLine& line) {
    double depth = 0;
    for (const auto* way : {&line.down, &line.up}) {
        for (const auto& point : *way) {
            depth = std::max(depth, point.depth);
        }
    }
    return depth > 0 ? 1 / depth : 1;
}

/// One line down to the root and up again. `scale` makes the root's depth another one.
std::vector<SvgPoint> points_of(const TimemapLine& line, double scale) {
    std::vector<SvgPoint> points;
    for (const auto* way : {&line.down, &line.up}) {
        for (const auto& point : *way) {
            points.push_back({.x = point.x_ns, .y = scale * point.depth});
        }
    }
    return points;
}

SvgPanel timemap_panel(const TreeAnalysis& analysis, const std::vector<TimemapLine>& lines,
                       const char* title) {
    SvgPanel panel{
        .title = title,
        .x_label = "mean time, 0 where data are stored at the root: down on the left, up on the right",
        .y_label = "stage, from the leaf to the root",
        .lines = {},
        .y_downwards = true};
    for (const auto& line : lines) {
        panel.lines.push_back(
            {.name = node_text(analysis.index, line.leaf),
             .colour = cluster_of(analysis.clusters, line.leaf),  // paths of one cluster have one colour
             .points = points_of(line, 1)});
    }
    return panel;
}

SvgPanel serialisation_frame() {
    return {.title = "Departures by their order: introduced latency at 0, serialisation by the slope",
            .x_label = "order of departure",
            .y_label = "up latency + departure wait",
            .lines = {},
            .x_is_time = false,
            .y_is_time = true};
}

SvgLine serialisation_line(const tree::JoinResult& join, std::string name, std::size_t colour) {
    SvgLine line{.name = std::move(name), .colour = colour, .points = {}};
    for (const auto& place : join.serialisation) {
        line.points.push_back({.x = static_cast<double>(place.place), .y = place.mean_ns});
    }
    return line;
}

SvgPanel scaled_frame(std::string title) {
    return {.title = std::move(title),
            .x_label = "mean time, 0 where data are stored at the root: down on the left, up on the right",
            .y_label = "from the leaf to the root, scaled",
            .lines = {},
            .y_downwards = true};
}

/// One of two trees in a picture of both.
struct DrawnTree {
    const std::string& name;
    const TreeAnalysis& analysis;
    std::size_t colour = 0;
};

/// Adds a tree to the panels of all paths, of the path of `leaf`, and of departures.
void add_tree(SvgPanel& all, SvgPanel& one, SvgPanel& departures, const DrawnTree& tree,
              const std::string& leaf) {
    const auto& index = tree.analysis.index;
    bool first = true;  // stands for all of its tree in the legend
    for (const auto& line : tree.analysis.timemap_without_waits) {
        auto points = points_of(line, scale_to_one(line));
        if (index.name(line.leaf) == leaf) {
            one.lines.push_back({.name = tree.name, .colour = tree.colour, .points = points});
        }
        all.lines.push_back({.name = fmt::format("{}: {}", tree.name, node_text(index, line.leaf)),
                             .colour = tree.colour,
                             .points = std::move(points),
                             .legend = tree.name,
                             .in_legend = std::exchange(first, false)});
    }
    for (const auto& join : tree.analysis.joins) {
        if (join.serialisation.size() > 1) {
            departures.lines.push_back(serialisation_line(
                join, fmt::format("{}: {}", tree.name, node_text(index, join.node)), tree.colour));
        }
    }
}

}  // namespace

std::string tree_analysis_svg(const TreeAnalysis& analysis, const std::string& title) {
    SvgPicture picture(title);
    picture.add(timemap_panel(analysis, analysis.timemap, "Timemap with arrival waits"));
    picture.add(timemap_panel(analysis, analysis.timemap_without_waits, "Timemap without arrival waits"));
    auto panel = serialisation_frame();
    for (std::size_t i = 0; i < analysis.joins.size(); ++i) {
        if (analysis.joins[i].serialisation.size() > 1) {
            panel.lines.push_back(
                serialisation_line(analysis.joins[i], node_text(analysis.index, analysis.joins[i].node), i));
        }
    }
    if (!panel.lines.empty()) {
        picture.add(panel);
    }
    return picture.svg();
}

std::string compared_trees_svg(const TreeNames& names, const std::vector<ComparedTimemaps>& points,
                               const std::string& title) {
    SvgPicture picture(title);
    for (const auto& point : points) {
        const auto slowest = [](const TreeAnalysis& analysis) {
            return analysis.clusters.empty() ? 0 : analysis.clusters.front().mean_ns;
        };
        const auto& slower = slowest(point.first) > slowest(point.second) ? point.first : point.second;
        const int leaf = slower.clusters.empty() ? 0 : slower.clusters.front().representative;
        const auto leaf_name = slower.index.name(leaf);
        auto all = scaled_frame(fmt::format("{}: timemaps without arrival waits", point.title));
        auto one = scaled_frame(fmt::format("{}: path of {}", point.title, node_text(slower.index, leaf)));
        auto departures = serialisation_frame();
        departures.title = fmt::format("{}: departures by their order", point.title);
        add_tree(all, one, departures, {.name = names.first, .analysis = point.first, .colour = 0},
                 leaf_name);
        add_tree(all, one, departures, {.name = names.second, .analysis = point.second, .colour = 1},
                 leaf_name);
        for (const auto& panel : {all, one, departures}) {
            if (!panel.lines.empty()) {
                picture.add(panel);
            }
        }
    }
    return picture.svg();
}

}  // namespace fathom::report
