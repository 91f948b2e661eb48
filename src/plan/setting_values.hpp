#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/named_enum.hpp"
#include "plan/settings.hpp"

/// Values of settings as they were written, read as what they have to be. All throw BadInput whose sentence
/// says what to give instead.
namespace fathom::plan {

std::int64_t whole_number(const SettingValue& value, std::int64_t low, std::int64_t high,
                          std::string_view unit = "");

double real_number(const SettingValue& value, double low, double high);

double percentage(const SettingValue& value);

std::string plain_text(const SettingValue& value, std::string_view what);

/// A run is also found by number and as `last`, so a label must be neither; tables need it on one line.
std::string label_text(const SettingValue& value);

/// Tags `key=value` by key: a key has letters, digits, `.`, `_` and `-`, and is there once; a value is on one
/// line.
std::map<std::string, std::string> tag_map(const std::vector<std::string>& tags);

bool yes_or_no(const SettingValue& value);

/// A list in TOML; one text with commas, or one number, counts as a list too.
std::vector<std::string> words(const SettingValue& value, std::string_view fix);

/// Throws UnknownName for a text that is no flavour.
Flavour flavour_from(const SettingValue& value);

/// The value of that name.
template <NamedEnum Enum>
Enum one_of(const SettingValue& value) {
    const auto* text = std::get_if<std::string>(&value);
    const auto found = text != nullptr ? from_text<Enum>(*text) : std::nullopt;
    if (!found) {
        throw BadInput(fmt::format("give one of {}", fmt::join(names_of<Enum>, ", ")));
    }
    return *found;
}

}  // namespace fathom::plan
