#pragma once

#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

/// Values of plain types as they lie in memory: for messages and files that only builds of the same program
/// exchange.
namespace fathom {

template <typename Value>
concept PlainValue = std::is_trivially_copyable_v<Value> && std::is_default_constructible_v<Value>;

template <PlainValue Value>
std::string bytes_of(const Value& value) {
    return {reinterpret_cast<const char*>(&value), sizeof value};
}

/// `bytes` holds at least one value; what follows it is ignored.
template <PlainValue Value>
Value value_from(std::string_view bytes) {
    Value value{};
    std::memcpy(static_cast<void*>(&value), bytes.data(), sizeof value);
    return value;
}

template <PlainValue Value>
std::string bytes_of_all(std::span<const Value> values) {
    return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

/// All whole values in `bytes`.
template <PlainValue Value>
std::vector<Value> values_from(std::string_view bytes) {
    std::vector<Value> values(bytes.size() / sizeof(Value));
    if (!values.empty()) {  // memcpy does not accept a null pointer, not even for 0 bytes
        std::memcpy(static_cast<void*>(values.data()), bytes.data(), values.size() * sizeof(Value));
    }
    return values;
}

}  // namespace fathom
