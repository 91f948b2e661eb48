#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/point/point_result.hpp"
#include "report/style.hpp"

namespace fathom::report {

/// Columns that grow with their content; numbers to the right, words to the left. Cells are made printable.
/// A table that is wider than the terminal loses columns, says which, and folds texts.
class Table {
  public:
    enum class Align { left, right };
    struct Column {
        std::string title;
        Align align;
        int priority = 0;    ///< 0: always there; else the columns with the largest number leave first
        bool folds = false;  ///< a text that may stand on several lines
    };

    explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
    void add(std::vector<std::string> cells) { rows_.push_back({std::move(cells), {}, {}}); }
    /// A row that ends in free text instead of the remaining cells.
    void add(std::vector<std::string> cells, std::string rest, Ink ink = Ink::plain) {
        rows_.push_back({std::move(cells), std::move(rest), ink});
    }
    /// Paints a cell of the row that was added last.
    void paint(std::string_view title, Ink ink);
    [[nodiscard]] std::string text(const Terminal& terminal) const;

  private:
    struct Row {
        std::vector<std::string> cells;
        std::string rest;
        Ink ink;                               ///< of the rest
        std::map<std::size_t, Ink> inks = {};  ///< of cells
    };
    struct Layout;
    [[nodiscard]] Layout layout(const Terminal& terminal) const;
    [[nodiscard]] std::size_t longest_word(std::size_t column) const;
    void add_row(const Layout& layout, const Row& row, const Terminal& terminal, std::string& text) const;
    std::vector<Column> columns_;
    std::vector<Row> rows_;
};

/// Before a number that is unreliable.
inline constexpr const char* doubt_mark = "~";
/// A number with that mark, unless it can be relied on.
std::string marked(const std::string& number, analysis::Quality quality);

/// The points of a run, one row each; a point without result says why.
std::string points_table(const std::vector<analysis::PointResult>& points, const Terminal& terminal);

}  // namespace fathom::report
