#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>

/// Enumerations whose values have names. The one table of names is used by plans, JSON, the store and the
/// command line. It stands beside the enumeration, in the order of its values, which begin at 0:
///
///     enum class Cache { warm, cold };
///     constexpr std::array<std::string_view, 2> enum_names(Cache) { return {"warm", "cold"}; }
namespace fathom {

template <class Enum>
concept NamedEnum = std::is_enum_v<Enum> && requires(Enum value) {
    enum_names(value);
};

/// All names, in the order of the values.
template <NamedEnum Enum>
inline constexpr auto names_of = enum_names(Enum{});

/// All values.
template <NamedEnum Enum>
inline constexpr auto values_of = [] {
    std::array<Enum, names_of<Enum>.size()> values{};
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<Enum>(i);
    }
    return values;
}();

/// The name of a value.
template <NamedEnum Enum>
constexpr std::string_view to_text(Enum value) {
    return names_of<Enum>.at(static_cast<std::size_t>(value));
}

/// The name of a value that may be absent, then empty.
template <NamedEnum Enum>
constexpr std::string_view to_text(std::optional<Enum> value) {
    return value ? to_text(*value) : std::string_view();
}

/// The value of a name; nothing if there is none of this name.
template <NamedEnum Enum>
constexpr std::optional<Enum> from_text(std::string_view name) {
    const auto& names = names_of<Enum>;
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
        return std::nullopt;
    }
    return static_cast<Enum>(found - names.begin());
}

}  // namespace fathom
