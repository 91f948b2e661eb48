#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "journal/json.hpp"
#include "journal/point_key_json.hpp"
#include "plan/point_key.hpp"
#include "report/csv.hpp"
#include "report/table.hpp"

/// How results show the key of a point: in JSON, CSV and as columns of a table.
namespace fathom::report {

/// Adds the fields of a key to an object, as results have them.
template <typename Key>
void put_key(nlohmann::ordered_json& json, const Key& key) {
    journal::put_key(json, key);
    for (const auto& extra : plan::extra_dimensions<Key>) {
        if (extra.only_if_set && (key.*extra.value).empty()) {
            json.erase(std::string(extra.name));
        }
    }
}

/// An object that begins with the key of a point.
template <typename Key>
nlohmann::ordered_json with_key(const Key& key, const nlohmann::ordered_json& rest) {
    nlohmann::ordered_json json;
    put_key(json, key);
    json.update(rest);
    return json;
}

/// The same of a curve over sizes, or of a run: they have no size.
template <typename Key>
nlohmann::ordered_json with_curve_key(const Key& key, const nlohmann::ordered_json& rest) {
    nlohmann::ordered_json json;
    put_key(json, key);
    json.erase("size_bytes");
    json.update(rest);
    return json;
}

/// The dimensions that every point has: `operation,pattern,procs,size_bytes`.
inline constexpr std::string_view csv_place_titles = "operation,pattern,procs,size_bytes";

template <typename Key>
std::string csv_place_cells(const Key& key, CsvTexts texts = CsvTexts::safe) {
    return fmt::format("{},{},{},{}", csv_cell(key.operation, texts), csv_cell(key.pattern, texts), key.procs,
                       key.size.count);
}

/// The others: `scheme,progress,setting,implementation`.
template <typename Key>
std::string csv_extra_titles() {
    std::string titles;
    for (const auto& extra : plan::extra_dimensions<Key>) {
        titles += titles.empty() ? "" : ",";
        titles += extra.name;
    }
    return titles;
}

template <typename Key>
std::string csv_extra_cells(const Key& key, CsvTexts texts = CsvTexts::safe) {
    std::string cells;
    for (const auto& extra : plan::extra_dimensions<Key>) {
        cells += &extra == plan::extra_dimensions<Key>.data() ? "" : ",";
        cells += csv_cell(key.*extra.value, texts);
    }
    return cells;
}

/// The columns that name points in a table: operation, the extra dimensions that any of them uses, processes
/// and bytes.
template <typename Key>
class KeyColumns {
  public:
    /// `key_of` gives the key of an item.
    template <typename Items, typename KeyOf>
    KeyColumns(const Items& items, KeyOf key_of) {
        for (const auto& extra : plan::extra_dimensions<Key>) {
            if (std::any_of(items.begin(), items.end(),
                            [&](const auto& item) { return !(key_of(item).*extra.value).empty(); })) {
                used_.push_back(&extra);
            }
        }
    }

    [[nodiscard]] std::vector<Table::Column> titles() const {
        std::vector<Table::Column> columns{{"operation", Table::Align::left}};
        for (const auto* extra : used_) {
            columns.push_back({std::string(extra->name), Table::Align::left});
        }
        columns.push_back({"procs", Table::Align::right});
        columns.push_back({"bytes", Table::Align::right});
        return columns;
    }

    [[nodiscard]] std::vector<std::string> cells(const Key& key) const {
        std::vector<std::string> cells{key.operation};
        for (const auto* extra : used_) {
            const auto& value = key.*(extra->value);
            cells.push_back(value.empty() ? std::string(extra->when_empty) : value);
        }
        cells.push_back(fmt::format("{}", key.procs));
        cells.push_back(plan::has_sizes(key.operation) ? exact_text(key.size) : "-");
        return cells;
    }

  private:
    std::vector<const plan::ExtraDimension<Key>*> used_;
};

}  // namespace fathom::report
