#pragma once

#include <array>
#include <compare>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/named_enum.hpp"
#include "base/printable.hpp"
#include "base/units.hpp"

namespace fathom::plan {

using fathom::to_text;  // the text of a key is one more

/// The most bytes of a name in it: every row of an export repeats them.
inline constexpr std::size_t longest_dimension = 16'384;

/// What identifies a point: in a plan, a journal, a result file, on the page, and across runs.
struct PointKey {
    std::string operation = {};
    std::string pattern = {};  ///< the processes that communicate: all, first-last, ...
    int procs = 0;
    Bytes size = {};
    std::string scheme = {};    ///< where schemes are compared: by which
    std::string progress = {};  ///< `thread` where a progress thread is requested
    std::string setting = {};   ///< where settings are varied: their values, `btl_vader_eager_limit=4096`
    std::string implementation = {};  ///< what performs the collective if not the library: `tree:flat`

    friend auto operator<=>(const PointKey&, const PointKey&) = default;
};

/// A key, or one with more dimensions.
template <typename Key>
concept AnyPointKey = std::derived_from<Key, PointKey>;

/// A dimension that most points leave empty. All forms of a key go through these rows, so a new dimension is
/// a member of the key, a row here, and a column in the store's schema.
template <AnyPointKey Key>
struct ExtraDimension {
    std::string_view name;  ///< in JSON, TOML, CSV, the store and as the title of a column
    std::string Key::*value = nullptr;
    std::string_view said_as = {};     ///< what the text puts before it: `progress `
    std::string_view when_empty = {};  ///< what tables show for points that leave it empty
    bool only_if_set = false;          ///< JSON of results leaves it out where it is empty
};

/// The rows of a type of key.
template <AnyPointKey Key>
inline constexpr std::array<ExtraDimension<Key>, 0> extra_dimensions{};
template <>
inline constexpr auto extra_dimensions<PointKey> = std::to_array<ExtraDimension<PointKey>>({
    {.name = "scheme", .value = &PointKey::scheme},
    {.name = "progress", .value = &PointKey::progress, .said_as = "progress ", .when_empty = "library"},
    {.name = "setting", .value = &PointKey::setting},
    {.name = "implementation",
     .value = &PointKey::implementation,
     .said_as = "via ",
     .when_empty = "library",
     .only_if_set = true},
});

/// Calls `visit(name, value)` for every dimension, in the order in which files list them. The value is a
/// reference to a string, an int or Bytes.
template <typename Key, typename Visit>
void visit_dimensions(Key& key, Visit visit) {
    visit(std::string_view("operation"), key.operation);
    visit(std::string_view("pattern"), key.pattern);
    visit(std::string_view("procs"), key.procs);
    visit(std::string_view("size_bytes"), key.size);
    for (const auto& extra : extra_dimensions<std::remove_const_t<Key>>) {
        visit(extra.name, key.*extra.value);
    }
}

/// The key of another size, process count or operation. The curve that a point is on is its key of no size.
template <AnyPointKey Key>
Key of_size(Key key, Bytes size) {
    key.size = size;
    return key;
}
template <AnyPointKey Key>
Key of_procs(Key key, int procs) {
    key.procs = procs;
    return key;
}

/// `1 process`, `8 processes`
std::string processes_text(int procs);

/// Whether an operation has message sizes; an unknown one is assumed to.
bool has_sizes(const std::string& operation);

/// `, as-imb, progress thread`: the extra dimensions as they follow the others in a text.
template <AnyPointKey Key>
std::string extras_text(const Key& key) {
    std::string text;
    for (const auto& extra : extra_dimensions<Key>) {
        if (const auto& value = key.*extra.value; !value.empty()) {
            text += ", ";
            text += extra.said_as;
            text += printable_name(value);
        }
    }
    return text;
}

/// The one way to name a point in a sentence: `bcast, 64 KiB, 8 processes, as-imb, progress thread`, without
/// a size where the operation has none. It is printable.
template <AnyPointKey Key>
std::string to_text(const Key& key) requires requires {
    extra_dimensions<Key>.front();
}
{
    return printable_name(key.operation) + (has_sizes(key.operation) ? ", " + exact_text(key.size) : "") +
           ", " + processes_text(key.procs) + extras_text(key);
}

/// The same of the curve over sizes that the point is on: `bcast, 8 processes`.
template <AnyPointKey Key>
std::string curve_text(const Key& key) {
    return printable_name(key.operation) + ", " + processes_text(key.procs) + extras_text(key);
}

/// The same of the points of all process counts: `bcast, 64 KiB`.
template <AnyPointKey Key>
std::string sweep_text(const Key& key) {
    return printable_name(key.operation) + (has_sizes(key.operation) ? ", " + exact_text(key.size) : "") +
           extras_text(key);
}

}  // namespace fathom::plan
