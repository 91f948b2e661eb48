#include "report/gnuplot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <system_error>
#include <tuple>

#include <fmt/format.h>

#include "analysis/across_runs/measured_run.hpp"
#include "analysis/point/distribution.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/printable.hpp"
#include "plan/operations.hpp"
#include "stats/mean.hpp"
#include "stats/quantile.hpp"

namespace fathom::report {
namespace {

constexpr double ns_per_us = 1e3;
constexpr int bins = 50;
/// Steps of a distribution function; more cannot be seen.
constexpr std::size_t steps = 400;

/// Some room around what is drawn; an empty range is none to gnuplot.
struct Range {
    double low = 0;
    double high = 0;
};

Range linear_range(double low, double high) {
    constexpr double room = 0.05;
    const double width = high > low ? (high - low) * room : std::max(std::abs(high) * room, 1e-3);
    // Below 0 only where times are: a coarse clock may give such.
    return {.low = low < 0 ? low - width : std::max(0.0, low - width), .high = high + width};
}

Range logarithmic_range(double low, double high) {
    constexpr double room = 1.5;
    return {.low = low / room, .high = high * room};
}

std::string range_text(const Range& range) {
    return fmt::format("[{:.9g}:{:.9g}]", range.low, range.high);
}

/// The commands for an axis on which all times can be distinguished: logarithmic if they differ much.
std::string axis_of(double low, double high) {
    constexpr double much = 10;
    return low > 0 && high > much * low
               ? fmt::format("set logscale x; set xrange {}", range_text(logarithmic_range(low, high)))
               : fmt::format("unset logscale x; set xrange {}", range_text(linear_range(low, high)));
}

/// What an earlier export into the folder may have left would draw another run.
void remove_earlier(const std::filesystem::path& folder) {
    for (const auto* name :
         {"time.dat", "time.gp", "rate.gp", "distribution.gp", "ecdf.gp", "processes.gp", "timeouts.gp"}) {
        std::filesystem::remove(folder / name);
    }
    std::vector<std::filesystem::path> points;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const auto name = entry.path().filename().string();
        if (name.starts_with("point-") && name.ends_with(".dat")) {
            points.push_back(entry.path());
        }
    }
    for (const auto& point : points) {
        std::filesystem::remove(point);
    }
}

/// One curve of time against size, as a block of the data file.
struct Curve {
    std::string title;
    std::string rows;
    bool rates = true;  ///< whether all its points have one
};

struct Curves {
    std::vector<Curve> all;
    double least_size = HUGE_VAL, most_size = 0;
    double least_us = HUGE_VAL, most_us = 0;
    double least_rate = HUGE_VAL, most_rate = 0;
};

/// Leaves out sizes and times of 0, for which logarithmic axes have no place.
Curves curves_of(const analysis::RunResult& result) {
    Curves curves;
    std::map<analysis::PointKey, std::size_t> places;
    for (const auto& point : result.points) {
        if (point.status != store::PointStatus::ok || !point.time_ns || !point.value_ns ||
            point.key.size.count <= 0 || !(point.time_ns->min > 0)) {
            continue;
        }
        const auto [place, is_new] = places.try_emplace(of_size(point.key, {}), curves.all.size());
        if (is_new) {
            curves.all.push_back({.title = curve_text(point.key), .rows = {}});
        }
        auto& curve = curves.all[place->second];
        const auto& time = *point.time_ns;
        const double value = point.value_ns->value;
        const auto interval = point.value_ns->ci95.value_or(stats::Interval{value, value});
        // Of starts that differ much, Student's interval may reach down to 0.
        const double low = std::max(interval.low, time.min / 2) / ns_per_us;
        const double high = interval.high / ns_per_us;
        const double rate = point.rate_bytes_per_s.value_or(0) / 1e6;
        curve.rates = curve.rates && rate > 0;
        curve.rows += fmt::format("{} {} {} {} {} {} {}\n", point.key.size.count, value / ns_per_us, low,
                                  high, time.min / ns_per_us, time.max / ns_per_us, rate);
        const auto size = static_cast<double>(point.key.size.count);
        curves.least_size = std::min(curves.least_size, size);
        curves.most_size = std::max(curves.most_size, size);
        curves.least_us = std::min(curves.least_us, low);
        curves.most_us = std::max(curves.most_us, high);
        if (rate > 0) {
            curves.least_rate = std::min(curves.least_rate, rate);
            curves.most_rate = std::max(curves.most_rate, rate);
        }
    }
    return curves;
}

std::string head(const char* output) {
    return fmt::format(
        "# Draws {0}: run 'gnuplot' with this file in this folder.\n"
        "reset\n"
        "set terminal svg size 900,600 noenhanced background rgb 'white' font 'sans,14'\n"
        "set output '{0}'\n",
        output);
}

/// Both figures over the message size.
std::string over_size(const char* output, const std::string& title, const char* y_label, const Curves& curves,
                      const Range& y_range, bool rates) {
    auto text = head(output);
    text += fmt::format(
        "set title {}\nset key below\nset grid\n"
        "set logscale x 2\nset logscale y 10\nset format x '%.0f'\nset xtics rotate by -45 left\n"
        "set xlabel 'message size (bytes)'\nset ylabel '{}'\nset xrange {}\nset yrange {}\n",
        gnuplot_text(title), y_label, range_text(logarithmic_range(curves.least_size, curves.most_size)),
        range_text(y_range));
    std::string separator = "plot ";
    for (std::size_t i = 0; i < curves.all.size(); ++i) {
        if (rates && !curves.all[i].rates) {
            continue;
        }
        text += fmt::format("{}'time.dat' index {} using {} title {}", separator, i,
                            rates ? "1:7 with linespoints" : "1:2:3:4 with yerrorlines",
                            gnuplot_text(curves.all[i].title));
        separator = ", \\\n     ";
    }
    return text + "\n";
}

std::string histogram_rows(const std::vector<double>& sorted, double end) {
    const auto range = linear_range(sorted.front(), end);
    const double width = (range.high - range.low) / bins;
    std::vector<std::size_t> counts(bins, 0);
    for (const double time : sorted) {
        if (time <= range.high) {
            const auto bin = static_cast<std::size_t>((time - range.low) / width);
            ++counts[std::min<std::size_t>(bin, bins - 1)];
        }
    }
    std::string rows;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        rows += fmt::format("{} {} {}\n", (range.low + (static_cast<double>(i) + 0.5) * width) / ns_per_us,
                            static_cast<double>(counts[i]) / static_cast<double>(sorted.size()),
                            width / ns_per_us);
    }
    return rows;
}

std::string distribution_rows(const std::vector<double>& sorted) {
    std::string rows = fmt::format("{} 0\n", sorted.front() / ns_per_us);
    const auto count = std::min(steps, sorted.size());
    for (std::size_t i = 1; i <= count; ++i) {
        const auto place = i * sorted.size() / count;
        rows += fmt::format("{} {}\n", sorted[place - 1] / ns_per_us,
                            static_cast<double>(place) / static_cast<double>(sorted.size()));
    }
    return rows;
}

/// Scripts that draw one picture a point, from arrays of names, titles and ranges.
std::string of_points(const char* what, const std::string& settings, const std::string& plot,
                      const std::vector<std::array<std::string, 3>>& points) {
    std::string names;
    std::string titles;
    std::string ranges;
    for (const auto& [name, title, highest] : points) {
        const char* separator = names.empty() ? "" : ", ";
        names += separator + gnuplot_text(name);
        titles += separator + gnuplot_text(title);
        ranges += separator + highest;
    }
    return fmt::format(
        "# Draws {0}-POINT.svg for every point: run 'gnuplot' with this file in this folder.\n"
        "reset\n"
        "set terminal svg size 900,600 noenhanced background rgb 'white' font 'sans,14'\n"
        "array name[{1}] = [{2}]\n"
        "array caption[{1}] = [{3}]\n"
        "array limit[{1}] = [{4}]\n"
        "set grid\n{5}"
        "do for [i=1:{1}] {{\n"
        "  set output '{0}-'.name[i].'.svg'\n"
        "  set title caption[i]\n"
        "{6}"
        "}}\n",
        what, points.size(), names, titles, ranges, settings, plot);
}

}  // namespace

std::string gnuplot_text(const std::string& text) {
    std::string quoted = "'";
    for (const char letter : printable(text)) {
        quoted += letter;
        if (letter == '\'') {
            quoted += letter;
        }
    }
    return quoted + "'";
}

void GnuplotFigures::add(const analysis::PointResult& point, const analysis::Repetitions& repetitions) {
    if (repetitions.times.empty()) {
        return;
    }
    auto sorted = repetitions.times;
    std::sort(sorted.begin(), sorted.end());
    Figure figure;
    figure.name = fmt::format("{:03}", point.position);
    figure.title = to_text(point.key);
    const double end = analysis::end_of_linear_bins(sorted);
    figure.low = sorted.front() / ns_per_us;
    figure.end_of_bins = end / ns_per_us;
    figure.high = sorted.back() / ns_per_us;
    const auto beyond =
        static_cast<double>(sorted.end() - std::upper_bound(sorted.begin(), sorted.end(),
                                                            linear_range(sorted.front(), end).high));
    if (beyond > 0) {
        figure.beyond = fmt::format(", {:.2g} % beyond", 100 * beyond / static_cast<double>(sorted.size()));
    }
    figure.data = fmt::format(
        "# histogram: middle of bin (us), share, width (us)\n{}\n\n"
        "# distribution function: time (us), share up to it\n{}\n\n",
        histogram_rows(sorted, end), distribution_rows(sorted));
    figure.data += "# processes: rank, smallest, mean, median, largest (us)\n";
    for (const auto& [rank, times] : repetitions.by_rank) {
        if (times.empty()) {
            continue;
        }
        auto own = times;
        std::sort(own.begin(), own.end());
        figure.data +=
            fmt::format("{} {} {} {} {}\n", rank, own.front() / ns_per_us, stats::mean(own) / ns_per_us,
                        stats::quantile(own, 0.5) / ns_per_us, own.back() / ns_per_us);
        figure.ranks = std::max(figure.ranks, rank + 1);
        figure.highest_rank_us = std::max(figure.highest_rank_us, own.back() / ns_per_us);
    }
    if (const auto& timeouts = point.analyses.timeouts; timeouts.status == analysis::TimeoutStatus::found) {
        figure.timeouts = true;
        figure.data += "\n\n# timeouts in a repetition: how many, share\n";
        for (const auto& found : timeouts.classes) {
            figure.data += fmt::format("{} {}\n", to_text(found.kind), found.share);
            figure.least_share =
                found.share > 0 ? std::min(figure.least_share, found.share) : figure.least_share;
        }
    }
    figures_.push_back(std::move(figure));
}

void GnuplotFigures::write_points(const Script& script, const std::filesystem::path& folder) const {
    std::vector<std::array<std::string, 3>> points;
    std::vector<std::array<std::string, 3>> whole_ranges;
    std::vector<std::array<std::string, 3>> with_ranks;
    std::vector<std::array<std::string, 3>> with_timeouts;
    for (const auto& figure : figures_) {
        write_file(folder / ("point-" + figure.name + ".dat"), figure.data);
        const auto range = linear_range(figure.low, figure.end_of_bins);
        points.push_back({figure.name, figure.title + figure.beyond,
                          fmt::format("{{{:.9g},{:.9g}}}", range.low, range.high)});
        whole_ranges.push_back({figure.name, figure.title, gnuplot_text(axis_of(figure.low, figure.high))});
        if (figure.timeouts) {
            with_timeouts.push_back(
                {figure.name, figure.title, fmt::format("{:.9g}", figure.least_share / 2)});
        }
        if (figure.ranks > 0) {
            with_ranks.push_back(
                {figure.name, figure.title,
                 fmt::format("{{{},{:.9g}}}", figure.ranks, linear_range(0, figure.highest_rank_us).high)});
        }
    }
    if (!points.empty()) {
        script("distribution.gp",
               of_points("distribution",
                         "set xlabel 'time (us)'\nset ylabel 'share of repetitions'\nunset key\n"
                         "set yrange [0:1.05]\nset style fill solid 0.6\n",
                         "  set xrange [real(limit[i]):imag(limit[i])]\n"
                         "  plot 'point-'.name[i].'.dat' index 0 using 1:2:3 with boxes\n",
                         points));
        script("ecdf.gp", of_points("ecdf",
                                    "set xlabel 'time (us)'\nset ylabel 'share of repetitions up to it'\n"
                                    "unset key\nset yrange [0:1.05]\n",
                                    "  eval limit[i]\n"
                                    "  plot 'point-'.name[i].'.dat' index 1 using 1:2 with steps\n",
                                    whole_ranges));
    }
    if (!with_ranks.empty()) {
        script("processes.gp",
               of_points(
                   "processes", "set xlabel 'rank'\nset ylabel 'time (us)'\nset key outside right top\n",
                   "  set xrange [-0.5:real(limit[i])-0.5]\n  set yrange [0:imag(limit[i])]\n"
                   "  plot 'point-'.name[i].'.dat' index 2 using 1:5 with linespoints title 'largest', \\\n"
                   "       '' index 2 using 1:3 with linespoints title 'mean', \\\n"
                   "       '' index 2 using 1:2 with linespoints title 'smallest'\n",
                   with_ranks));
    }
    if (!with_timeouts.empty()) {
        script(
            "timeouts.gp",
            of_points("timeouts",
                      "set xlabel 'timeouts in a repetition'\nset ylabel 'share of repetitions'\nunset key\n"
                      "set logscale y\nset style fill solid 0.6\nset boxwidth 0.8\n",
                      "  set xrange [-0.5:4.5]\n  set yrange [limit[i]:2]\n"
                      "  plot 'point-'.name[i].'.dat' index 3 using 2:xtic(1) with boxes\n",
                      with_timeouts));
    }
}

std::vector<std::string> GnuplotFigures::write(const std::filesystem::path& folder,
                                               const analysis::RunResult& result) const {
    std::error_code trouble;
    std::filesystem::create_directories(folder, trouble);
    if (trouble) {
        throw BadInput(fmt::format("cannot create the folder {}: {}; name another with --gnuplot.",
                                   folder.string(), trouble.message()));
    }
    remove_earlier(folder);
    std::vector<std::string> scripts;
    const auto script = [&](const std::string& name, const std::string& text) {
        write_file(folder / name, text);
        scripts.push_back(name);
    };
    const auto& run = result.run;
    const auto title = fmt::format("run {}{}: {}, {}", run.id, run.label.empty() ? "" : " " + run.label,
                                   analysis::library_of(run), plan::processes_text(run.procs));
    const auto curves = curves_of(result);
    if (!curves.all.empty()) {
        std::string data =
            "# size (bytes), time as 'fathom show' has it, low and high end of its 95 % interval, min, max "
            "(us), rate (MB/s)\n";
        for (const auto& curve : curves.all) {
            data += fmt::format("# {}\n{}\n\n", printable(curve.title), curve.rows);
        }
        write_file(folder / "time.dat", data);
        script("time.gp", over_size("time.svg", title, "time (us)", curves,
                                    logarithmic_range(curves.least_us, curves.most_us), false));
    }
    if (curves.most_rate > 0 &&
        std::any_of(curves.all.begin(), curves.all.end(), [](const auto& curve) { return curve.rates; })) {
        script("rate.gp", over_size("rate.svg", title, "rate (MB/s)", curves,
                                    logarithmic_range(curves.least_rate, curves.most_rate), true));
    }
    write_points(script, folder);
    return scripts;
}

}  // namespace fathom::report
