#pragma once

#include "journal/json.hpp"
#include "plan/point_key.hpp"

/// The JSON form of a key, in journals and in results: one field per dimension.
namespace fathom::journal {

/// Adds the fields of a key to an object.
template <typename Json, typename Key>
void put_key(Json& json, const Key& key) {
    plan::visit_dimensions(key, [&]<typename Value>(std::string_view name, const Value& value) {
        if constexpr (std::is_same_v<Value, Bytes>) {
            json[std::string(name)] = value.count;
        } else {
            json[std::string(name)] = value;
        }
    });
}

/// Throws what the library of JSON throws if a field is missing or of another type.
template <typename Key, typename Json>
Key key_from(const Json& json) {
    Key key;
    plan::visit_dimensions(key, [&]<typename Value>(std::string_view name, Value& value) {
        if constexpr (std::is_same_v<Value, Bytes>) {
            value.count = json.at(std::string(name)).template get<std::int64_t>();
        } else {
            value = json.at(std::string(name)).template get<Value>();
        }
    });
    return key;
}

}  // namespace fathom::journal
