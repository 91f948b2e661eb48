#pragma once

#include <string>
#include <vector>

#include "analysis/point/point_result.hpp"
#include "report/style.hpp"

namespace fathom::report {

/// Columns that grow with their content; numbers to the right, words to the left. Cells are made printable.
class Table {
  public:
    enum class Align { left, right };
    struct Column {
        std::string title;
        Align align;
    };

    explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
    void add(std::vector<std::string> cells) { rows_.push_back({std::move(cells), {}, {}}); }
    /// A row that ends in free text instead of the remaining cells.
    void add(std::vector<std::string> cells, std::string rest, Ink ink = Ink::plain) {
        rows_.push_back({std::move(cells), std::move(rest), ink});
    }
    [[nodiscard]] std::string text(const Terminal& terminal) const;

  private:
    struct Row {
        std::vector<std::string> cells;
        std::string rest;
        Ink ink;
    };
    std::vector<Column> columns_;
    std::vector<Row> rows_;
};

/// Before a number that is not to be relied on.
inline constexpr const char* doubt_mark = "~";

/// The points of a run, one row each; a point without result says why.
std::string points_table(const std::vector<analysis::PointResult>& points, const Terminal& terminal);

}  // namespace fathom::report
