#include "report/table.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "base/printable.hpp"
#include "base/text.hpp"
#include "report/paragraph.hpp"
#include "report/point_key.hpp"
#include "report/sentences/point_warning.hpp"

namespace fathom::report {

namespace {

constexpr std::size_t gap = 2;  // between columns
/// A text that may fold is not made narrower, and no narrower than its longest word.
constexpr std::size_t narrowest = 16;

/// Names are cut sooner than texts.
std::string shown_cell(const Table::Column& column, const std::string& cell) {
    return column.folds ? printable(cell) : printable_name(cell);
}

/// Words on lines of at most `width`; a longer word stands alone.
std::vector<std::string> lines_of(std::string_view text, std::size_t width) {
    std::vector<std::string> lines{""};
    for (const auto& word : split(text, ' ')) {
        auto& line = lines.back();
        if (line.empty()) {
            line = word;
        } else if (line.size() + 1 + word.size() <= width) {
            line += ' ';
            line += word;
        } else {
            lines.emplace_back(word);
        }
    }
    return lines;
}

}  // namespace

/// What of a table is shown, and how wide.
struct Table::Layout {
    std::vector<std::size_t> shown;   ///< columns, in order
    std::vector<std::size_t> widths;  ///< of all columns
    std::vector<std::string> hidden;  ///< titles

    [[nodiscard]] std::size_t width() const {
        std::size_t sum = 0;
        for (const auto column : shown) {
            sum += widths[column] + (sum > 0 ? gap : 0);
        }
        return sum;
    }
};

Table::Layout Table::layout(const Terminal& terminal) const {
    Layout layout;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        layout.shown.push_back(i);
        layout.widths.push_back(printable_name(columns_[i].title).size());
    }
    for (const auto& row : rows_) {
        for (std::size_t i = 0; i < row.cells.size(); ++i) {
            layout.widths[i] = std::max(layout.widths[i], shown_cell(columns_[i], row.cells[i]).size());
        }
        if (row.cells.size() + 1 == columns_.size() && columns_.back().align == Align::left) {
            // The rest stands in the last column.
            layout.widths.back() =
                std::max(layout.widths.back(), std::min(narrowest, printable(row.rest).size()));
        }
    }
    const auto most = static_cast<std::size_t>(std::max(0, terminal.table_columns));
    std::vector<std::size_t> least = layout.widths;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        if (columns_[i].folds) {
            least[i] = std::min(least[i], std::max(narrowest, longest_word(i)));
        }
    }
    const auto foldable = [&] {
        std::size_t spare = 0;
        for (const auto column : layout.shown) {
            spare += layout.widths[column] - least[column];
        }
        return spare;
    };
    while (most > 0 && layout.width() > most + foldable()) {
        const auto last = std::ranges::max_element(
            layout.shown, {}, [&](std::size_t column) { return columns_[column].priority; });
        if (last == layout.shown.end() || columns_[*last].priority == 0) {
            break;
        }
        layout.hidden.push_back(columns_[*last].title);
        layout.shown.erase(last);
    }
    while (most > 0 && layout.width() > most && foldable() > 0) {  // the widest gives way first
        const auto widest = std::ranges::max_element(layout.shown, {}, [&](std::size_t column) {
            return layout.widths[column] > least[column] ? layout.widths[column] : 0;
        });
        --layout.widths[*widest];
    }
    return layout;
}

std::size_t Table::longest_word(std::size_t column) const {
    std::size_t longest = 0;
    for (const auto& row : rows_) {
        if (column < row.cells.size()) {
            for (const auto& word : split(shown_cell(columns_[column], row.cells[column]), ' ')) {
                longest = std::max(longest, word.size());
            }
        }
    }
    return longest;
}

void Table::add_row(const Layout& layout, const Row& row, const Terminal& terminal, std::string& text) const {
    std::vector<std::vector<std::string>> cells(columns_.size());
    std::size_t height = 1;
    for (const auto column : layout.shown) {
        if (column >= row.cells.size()) {
            continue;
        }
        const auto cell = shown_cell(columns_[column], row.cells[column]);
        cells[column] =
            columns_[column].folds ? lines_of(cell, layout.widths[column]) : std::vector<std::string>{cell};
        height = std::max(height, cells[column].size());
    }
    auto used = std::size_t{0};
    for (const auto column : layout.shown) {
        used += column < row.cells.size() ? layout.widths[column] + gap : 0;
    }
    const auto most = static_cast<std::size_t>(std::max(0, terminal.table_columns));
    const auto rest = row.rest.empty() ? std::vector<std::string>()
                      : most == 0
                          ? std::vector<std::string>{printable(row.rest)}
                          : lines_of(printable(row.rest), std::max(narrowest, most - std::min(most, used)));
    height = std::max(height, rest.size());
    for (std::size_t line = 0; line < height; ++line) {
        std::string words;
        for (const auto column : layout.shown) {
            if (column >= row.cells.size()) {
                break;
            }
            const auto& cell = line < cells[column].size() ? cells[column][line] : std::string();
            words += column == layout.shown.front() ? "" : std::string(gap, ' ');
            const auto padded = columns_[column].align == Align::left
                                    ? fmt::format("{:<{}}", cell, layout.widths[column])
                                    : fmt::format("{:>{}}", cell, layout.widths[column]);
            const auto ink = row.inks.find(column);
            words += ink == row.inks.end() ? padded : inked(padded, ink->second, terminal);
        }
        if (line < rest.size()) {
            words += std::string(row.cells.empty() ? 0 : gap, ' ') + inked(rest[line], row.ink, terminal);
        }
        text += without_tail(words) + "\n";
    }
}

void Table::paint(std::string_view title, Ink ink) {
    const auto column = std::ranges::find(columns_, title, &Column::title);
    if (column != columns_.end() && !rows_.empty()) {
        rows_.back().inks[static_cast<std::size_t>(column - columns_.begin())] = ink;
    }
}

std::string Table::text(const Terminal& terminal) const {
    const auto shown = layout(terminal);
    std::vector<std::string> titles;
    for (const auto& column : columns_) {
        titles.push_back(column.title);
    }
    std::string head;
    add_row(shown, {titles, {}, Ink::plain}, terminal, head);
    head.pop_back();
    std::string whole = bold(head, terminal) + "\n";
    for (const auto& row : rows_) {
        add_row(shown, row, terminal, whole);
    }
    if (!shown.hidden.empty()) {
        whole +=
            fmt::format("(--wide also shows {}.)\n", and_list({shown.hidden.rbegin(), shown.hidden.rend()}));
    }
    return whole;
}

namespace {

using Align = Table::Align;

/// The columns of a table of points; some are there only where they have something to say.
struct PointColumns {
    bool ranks = false;
    bool set_aside = false;
    bool launches = false;
    KeyColumns<analysis::PointKey> keys;
    std::string value;  ///< how repetitions are reduced

    explicit PointColumns(const std::vector<analysis::PointResult>& points)
        : keys(
              points, [](const auto& point) -> const auto& { return point.key; }) {
        for (const auto& point : points) {
            ranks = ranks || !point.by_rank.empty();
            set_aside = set_aside || point.set_aside > 0;
            launches = launches || point.launch_counts.all() > 1;
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
        // What is left out first in a narrow terminal is what tells least about the time.
        enum Leaves { never, seventh, sixth, fifth, fourth, third, second, first };
        columns.push_back({"reps", Align::right, fifth});
        if (set_aside) {
            columns.push_back({"set aside", Align::right, fifth});
        }
        if (launches) {
            columns.push_back({"launches", Align::right, second});
        }
        columns.push_back({value, Align::right, never});
        columns.push_back({"95% interval", Align::right, never});
        columns.push_back({"min", Align::right, third});
        columns.push_back({"p99", Align::right, sixth});
        columns.push_back({"max", Align::right, fourth});
        columns.push_back({"skew", Align::right, first});
        columns.push_back({"rate", Align::right, seventh});
        return columns;
    }
};

std::vector<std::string> time_cells(const stats::Summary& time, const stats::Reduced& value,
                                    analysis::Quality quality) {
    // A minimum or a maximum has no interval however many repetitions there are.
    const char* none = time.median_ci95 ? "-" : analysis::few_repetitions(time) ? "too few" : "none";
    const TimesBeside times =
        value.ci95 ? TimesBeside(value.value, value.ci95->low, value.ci95->high) : TimesBeside(value.value);
    return {marked(times.text(value.value), quality),
            value.ci95 ? times.interval(value.ci95->low, value.ci95->high) : std::string(none),
            times.text(time.min), times.text(time.p99), times.text(time.max)};
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
        reasons.push_back(fmt::format("{} disturbed by other processes most of the time", disturbed));
    }
    return reasons.empty() ? std::string()
                           : fmt::format("{} unreliable: {}\n", doubt_mark, and_list(reasons));
}

void append(std::vector<std::string>& cells, std::vector<std::string> more) {
    cells.insert(cells.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace

std::string marked(const std::string& number, analysis::Quality quality) {
    return quality == analysis::Quality::good ? number : doubt_mark + number;
}

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
            if (columns.set_aside) {
                counts.push_back(point.set_aside > 0 ? count_text(point.set_aside) : "");
            }
            if (columns.launches) {
                const auto& launches = point.launch_counts;
                counts.push_back(launches.used == launches.all()
                                     ? fmt::format("{}", launches.used)
                                     : fmt::format("{} of {}", launches.used, launches.all()));
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
        if (point.quality != analysis::Quality::good) {
            table.paint(columns.value, Ink::dim);
            table.paint("95% interval", Ink::dim);
        }
    }
    return table.text(terminal) + doubt_text(points);
}

}  // namespace fathom::report
