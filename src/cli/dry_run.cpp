#include "cli/dry_run.hpp"

#include <set>
#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/printable.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "launch/job.hpp"
#include "launch/scratch_folder.hpp"
#include "plan/operations.hpp"
#include "plan/plan_toml.hpp"
#include "report/json.hpp"
#include "report/output.hpp"
#include "report/paragraph.hpp"
#include "report/point_key.hpp"

namespace fathom::cli {
namespace {

using nlohmann::ordered_json;

constexpr double milliseconds_in_second = 1000;

/// How long the repetitions of all points and launches together take, as far as the plan says.
struct Expected {
    std::optional<double> least_s;
    std::optional<double> most_s;
};

Expected expected_time(const plan::Plan& plan, std::size_t points, bool simulated) {
    if (plan.reps) {
        return {};
    }
    double effort = 0;
    for (int launch = 0; launch < plan.runs.value_or(1); ++launch) {
        effort += plan::effort_of_launch(plan, launch);
    }
    const auto all = effort * static_cast<double>(points) / milliseconds_in_second;
    Expected expected{.least_s = simulated ? 0 : all * static_cast<double>(plan.point_least_ms),
                      .most_s = all * static_cast<double>(plan.point_budget_ms)};
    if (plan.budget_s) {
        expected.most_s = std::min(*expected.most_s, *plan.budget_s);
        expected.least_s = std::min(*expected.least_s, *plan.budget_s);
    }
    return expected;
}

/// `0.4 s`, `3 min 20 s`
std::string seconds_text(double seconds) {
    constexpr double short_time = 10;
    return seconds < short_time ? fmt::format("{:.1f} s", seconds) : duration_text(seconds);
}

std::string time_sentence(const plan::Plan& plan, const Expected& expected, std::int64_t launches,
                          bool simulated) {
    const auto starting =
        launches == 1 ? std::string("launching the job") : fmt::format("launching {} jobs", launches);
    if (!expected.least_s) {
        return fmt::format("It takes as long as {} repetitions of every point, and {}.", *plan.reps,
                           starting);
    }
    if (plan.budget_s) {
        return fmt::format("It takes {} at most (--budget).", duration_text(*plan.budget_s));
    }
    if (simulated) {
        return fmt::format("Repetitions take {} of simulated time at most (--point-budget).",
                           seconds_text(*expected.most_s));
    }
    const auto again = plan::revisit_percent_of(plan, simulated);
    return fmt::format(
        "Repetitions take {} if points are decided as soon as they may be, {} at most (--point-least, "
        "--point-budget){}, and {} comes on top. --budget limits the whole.",
        seconds_text(*expected.least_s), seconds_text(*expected.most_s),
        again > 0
            ? fmt::format(", up to {:.3g} % more for points that were disturbed or imprecise (--revisit)",
                          again)
            : "",
        starting);
}

/// A command on lines that fit the terminal and can be pasted into a shell.
std::string command_lines(const std::vector<std::string>& words, const report::Terminal& terminal) {
    constexpr std::size_t indent = 2;
    constexpr std::string_view goes_on = " \\";
    const auto most =
        terminal.table_columns > 0 ? static_cast<std::size_t>(terminal.table_columns) : std::string::npos;
    std::string text;
    std::string line(indent, ' ');
    for (const auto& word : words) {
        auto quoted = shell_text({word});
        if (line.size() > 2 * indent && line.size() + 1 + quoted.size() + goes_on.size() > most) {
            text.append(line).append(goes_on).append("\n");
            line.assign(2 * indent, ' ');
        }
        line += (line.find_first_not_of(' ') == std::string::npos ? "" : " ") + quoted;
    }
    return printable_lines(text + line + "\n", false);
}

/// `allreduce at 7 sizes from 8 B to 64 KiB`
std::vector<std::string> points_lines(const std::vector<plan::PointSpec>& points) {
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < points.size();) {
        const auto& operation = points[i].key.operation;
        std::set<Bytes> sizes;
        std::set<int> procs;
        std::size_t count = 0;
        for (; i < points.size() && points[i].key.operation == operation; ++i, ++count) {
            sizes.insert(points[i].key.size);
            procs.insert(points[i].key.procs);
        }
        const auto where = !plan::has_sizes(operation) ? std::string()
                           : sizes.size() == 1
                               ? fmt::format(" at {}", exact_text(*sizes.begin()))
                               : fmt::format(" at {} sizes from {} to {}", sizes.size(),
                                             exact_text(*sizes.begin()), exact_text(*sizes.rbegin()));
        lines.push_back(fmt::format("{}{}, {} processes: {} {}", operation, where, fmt::join(procs, ", "),
                                    count, count == 1 ? "point" : "points"));
    }
    return lines;
}

}  // namespace

ExitStatus dry_run(plan::Plan plan, bool allow_root, bool json) {
    const auto resolved = launch::resolve(std::move(plan), allow_root);
    auto points = plan::points_of(resolved.plan, resolved.procs);
    std::ranges::stable_sort(points, {}, [](const auto& point) { return point.key.operation; });
    const launch::ScratchFolder folder;
    const launch::JobFiles files(folder.path() / "fathom.run", resolved.platform.has_value());
    plan::Job job;
    job.points = points;
    const auto words = launch::prepare(resolved, files, job).words;
    const auto launches = resolved.plan.runs.value_or(1);
    const bool simulated = resolved.platform.has_value();
    const auto expected = expected_time(resolved.plan, points.size(), simulated);
    if (json) {
        ordered_json document{{"schema", "fathom.dry_run/1"},
                              {"launches", launches},
                              {"command", shell_text(words)},
                              {"searches", plan::searches(resolved.plan)},
                              {"points", ordered_json::array()}};
        document["repetitions_least_s"] = expected.least_s ? ordered_json(*expected.least_s) : ordered_json();
        document["repetitions_most_s"] = expected.most_s ? ordered_json(*expected.most_s) : ordered_json();
        for (const auto& point : points) {
            document["points"].push_back(report::with_key(point.key, ordered_json::object()));
        }
        report::print("{}", report::document(document));
        return ExitStatus::done;
    }
    report::print("Would measure {} {} in {} {}; nothing is started.\n\n", points.size(),
                  points.size() == 1 ? "point" : "points", launches, launches == 1 ? "launch" : "launches");
    for (const auto& line : points_lines(points)) {
        report::print("  {}\n", printable(line));
    }
    if (plan::searches(resolved.plan)) {
        report::print(
            "\n{}", report::paragraph(fmt::format("Points are added while it measures, up to {} of a curve.",
                                                  resolved.plan.max_points)));
    }
    report::print("\n{}", report::paragraph(time_sentence(resolved.plan, expected, launches, simulated)));
    report::print("\n{}", command_lines(words, report::Terminal::of(STDOUT_FILENO)));
    return ExitStatus::done;
}

}  // namespace fathom::cli
