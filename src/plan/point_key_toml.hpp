#pragma once

#include <toml++/toml.h>

#include "plan/point_key.hpp"

/// The TOML form of a key: one entry per dimension.
namespace fathom::plan {

template <typename Key>
void put_key(toml::table& table, const Key& key) {
    visit_dimensions(key, [&]<typename Value>(std::string_view name, const Value& value) {
        if constexpr (std::is_same_v<Value, Bytes>) {
            table.insert(name, value.count);
        } else {
            table.insert(name, value);
        }
    });
}

/// What a table does not name is empty.
template <typename Key>
Key key_from(const toml::table& table) {
    Key key;
    visit_dimensions(key, [&]<typename Value>(std::string_view name, Value& value) {
        if constexpr (std::is_same_v<Value, Bytes>) {
            value.count = table[name].value_or(value.count);
        } else {
            value = table[name].value_or(value);
        }
    });
    return key;
}

}  // namespace fathom::plan
