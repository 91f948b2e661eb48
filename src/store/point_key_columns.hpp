#pragma once

#include <string>

#include "plan/point_key.hpp"
#include "store/row.hpp"
#include "store/sqlite.hpp"

/// The form of a key in the store: one column per dimension, of the same name.
namespace fathom::store {

/// `operation, pattern, procs, size_bytes, scheme, progress, setting, implementation`
template <typename Key>
std::string key_columns() {
    std::string columns;
    const Key key;
    plan::visit_dimensions(key, [&](std::string_view name, const auto& /*value*/) {
        columns += columns.empty() ? "" : ", ";
        columns += name;
    });
    return columns;
}

/// Binds the values of these columns to the parameters from `first` on; returns the next one.
template <typename Key>
int bind_key(Statement& statement, int first, const Key& key) {
    int at = first;
    plan::visit_dimensions(key, [&]<typename Value>(std::string_view, const Value& value) {
        if constexpr (std::is_same_v<Value, Bytes>) {
            statement.bind_at(at++, value.count);
        } else {
            statement.bind_at(at++, value);
        }
    });
    return at;
}

/// Reads them from the next columns of a row.
template <typename Key>
Key key_from(Row& row) {
    Key key;
    plan::visit_dimensions(key, [&]<typename Value>(std::string_view, Value& value) {
        if constexpr (std::is_same_v<Value, Bytes>) {
            value.count = row.integer(0, journal::largest_size);
        } else if constexpr (std::is_same_v<Value, int>) {
            value = row.number(1, journal::most_ranks);
        } else {
            value = row.text(plan::longest_dimension);
        }
    });
    return key;
}

}  // namespace fathom::store
