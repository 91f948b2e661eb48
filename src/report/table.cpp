#include "report/table.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "plan/operations.hpp"

namespace fathom::report {

std::string Table::text(const Terminal& terminal) const {
    std::vector<std::size_t> widths;
    for (const auto& column : columns_) {
        widths.push_back(column.title.size());
    }
    for (const auto& row : rows_) {
        for (std::size_t i = 0; i < row.cells.size(); ++i) {
            widths[i] = std::max(widths[i], row.cells[i].size());
        }
    }
    const auto line = [&](const std::vector<std::string>& cells) {
        std::string text;
        for (std::size_t i = 0; i < cells.size(); ++i) {
            text += i > 0 ? "  " : "";
            text += columns_[i].align == Align::left ? fmt::format("{:<{}}", cells[i], widths[i])
                                                     : fmt::format("{:>{}}", cells[i], widths[i]);
        }
        return text;
    };
    const auto without_tail = [](std::string text) {
        text.erase(text.find_last_not_of(' ') + 1);
        return text;
    };
    std::vector<std::string> titles;
    for (const auto& column : columns_) {
        titles.push_back(column.title);
    }
    std::string whole = bold(without_tail(line(titles)), terminal) + "\n";
    for (const auto& row : rows_) {
        whole += without_tail(line(row.cells) + (row.rest.empty() ? "" : "  " + row.rest)) + "\n";
    }
    return whole;
}

std::string points_table(const std::vector<analysis::PointResult>& points, const Terminal& terminal) {
    using Align = Table::Align;
    Table table({{"operation", Align::left},
                 {"procs", Align::right},
                 {"bytes", Align::right},
                 {"reps", Align::right},
                 {"median", Align::right},
                 {"95% interval", Align::right},
                 {"min", Align::right},
                 {"p99", Align::right},
                 {"max", Align::right},
                 {"skew", Align::right},
                 {"rate", Align::right}});
    for (const auto& point : points) {
        const bool sized = plan::find_operation(point.operation).sized;
        std::vector<std::string> cells{point.operation, fmt::format("{}", point.procs),
                                       sized ? to_text(point.size) : "-"};
        if (point.status != "ok" || !point.time_ns) {
            table.add(std::move(cells), red(fmt::format("{}: {}", point.status, point.reason), terminal));
            continue;
        }
        const auto& time = *point.time_ns;
        cells.push_back(count_text(point.reps));
        cells.push_back(time_text(time.median));
        cells.push_back(time.median_ci95 ? time_interval_text(time.median_ci95->low, time.median_ci95->high)
                                         : "-");
        cells.push_back(time_text(time.min));
        cells.push_back(time_text(time.p99));
        cells.push_back(time_text(time.max));
        cells.push_back(point.start_skew_median_ns ? time_text(*point.start_skew_median_ns) : "-");
        cells.push_back(point.rate_bytes_per_s ? rate_text(*point.rate_bytes_per_s) : "");
        table.add(std::move(cells));
    }
    return table.text(terminal);
}

}  // namespace fathom::report
