#include "report/table.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "base/printable.hpp"
#include "base/text.hpp"
#include "report/point_key.hpp"
#include "report/sentences/point_warning.hpp"

namespace fathom::report {

std::string Table::text(const Terminal& terminal) const {
    std::vector<std::string> titles;
    std::vector<std::size_t> widths;
    for (const auto& column : columns_) {
        titles.push_back(printable_name(column.title));
        widths.push_back(titles.back().size());
    }
    std::vector<std::vector<std::string>> rows;
    for (const auto& row : rows_) {
        auto& cells = rows.emplace_back();
        for (std::size_t i = 0; i < row.cells.size(); ++i) {
            cells.push_back(printable_name(row.cells[i]));
            widths[i] = std::max(widths[i], cells.back().size());
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
    std::string whole = bold(without_tail(line(titles)), terminal) + "\n";
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto rest = printable(rows_[i].rest);
        whole +=
            without_tail(line(rows[i]) + (rest.empty() ? "" : "  " + inked(rest, rows_[i].ink, terminal))) +
            "\n";
    }
    return whole;
}

namespace {

using Align = Table::Align;

/// The columns of a table of points; some are there only where they have something to say.
struct PointColumns {
    bool ranks = false;
    bool launches = false;
    KeyColumns<analysis::PointKey> keys;
    std::string value;  ///< how repetitions are reduced

    explicit PointColumns(const std::vector<analysis::PointResult>& points)
        : keys(
              points, [](const auto& point) -> const auto& { return point.key; }) {
        for (const auto& point : points) {
            ranks = ranks || !point.by_rank.empty();
            launches = launches || point.launches.has_value();
            const bool mixed = !value.empty() && value != point.over_reps;
            value = mixed ? "value" : point.over_reps;
        }
        if (value.empty()) {
            value = "median";
        }
    }

    [[nodiscard]] std::vector<Table::Column> titles() const {
        auto columns = keys.titles();
        if (ranks) {
            columns.push_back({"rank", Align::right});
        }
        columns.push_back({"reps", Align::right});
        if (launches) {
            columns.push_back({"launches", Align::right});
        }
        for (const char* title : {value.c_str(), "95% interval", "min", "p99", "max", "skew", "rate"}) {
            columns.push_back({title, Align::right});
        }
        return columns;
    }
};

std::vector<std::string> time_cells(const stats::Summary& time, const stats::Reduced& value,
                                    analysis::Quality quality) {
    // A minimum or a maximum has no interval however many repetitions there are.
    const char* none = time.median_ci95 ? "-" : analysis::few_repetitions(time) ? "too few" : "none";
    return {(quality == analysis::Quality::good ? "" : doubt_mark) + time_text(value.value),
            value.ci95 ? time_interval_text(value.ci95->low, value.ci95->high) : std::string(none),
            time_text(time.min), time_text(time.p99), time_text(time.max)};
}

/// What the mark in a table means, if it is there.
std::string doubt_text(const std::vector<analysis::PointResult>& points) {
    const auto count = [&](analysis::Quality quality) {
        return std::count_if(points.begin(), points.end(),
                             [&](const auto& point) { return point.quality == quality; });
    };
    std::vector<std::string> reasons;
    if (const auto wide = count(analysis::Quality::imprecise); wide > 0) {
        reasons.push_back(fmt::format("{} with a wide interval or none", wide));
    }
    if (const auto disturbed = count(analysis::Quality::disturbed); disturbed > 0) {
        reasons.push_back(fmt::format("{} disturbed by other processes nearly all the time", disturbed));
    }
    return reasons.empty() ? std::string()
                           : fmt::format("{} not to be relied on: {}\n", doubt_mark, and_list(reasons));
}

void append(std::vector<std::string>& cells, std::vector<std::string> more) {
    cells.insert(cells.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace

std::string points_table(const std::vector<analysis::PointResult>& points, const Terminal& terminal) {
    const PointColumns columns(points);
    Table table(columns.titles());
    for (const auto& point : points) {
        auto cells = columns.keys.cells(point.key);
        if (point.status != store::PointStatus::ok || !point.time_ns || !point.value_ns) {
            const auto why = reason_of(point);
            table.add(std::move(cells),
                      fmt::format("{}: {}", to_text(point.status), why.empty() ? "no valid repetition" : why),
                      Ink::red);
            continue;
        }
        const auto reps = [&] {
            std::vector<std::string> counts{count_text(point.reps)};
            if (columns.launches) {
                counts.push_back(fmt::format("{}", point.launches ? point.launches->values_ns.size() : 1));
            }
            return counts;
        };
        for (const auto& rank : point.by_rank) {
            auto row = cells;
            row.push_back(fmt::format("{}", rank.rank));
            append(row, reps());
            append(row, time_cells(rank.time_ns, rank.value_ns, point.quality));
            append(row, {"", ""});
            table.add(std::move(row));
        }
        if (columns.ranks) {
            cells.emplace_back(point.by_rank.empty() ? to_text(point.over_ranks) : "max");
        }
        append(cells, reps());
        append(cells, time_cells(*point.time_ns, *point.value_ns, point.quality));
        cells.push_back(point.start_skew_median_ns ? time_text(*point.start_skew_median_ns) : "-");
        cells.push_back(point.rate_bytes_per_s ? rate_text(*point.rate_bytes_per_s) : "");
        table.add(std::move(cells));
    }
    return table.text(terminal) + doubt_text(points);
}

}  // namespace fathom::report
