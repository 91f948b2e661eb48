#include "plan/setting_values.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "plan/unknown_name.hpp"

namespace fathom::plan {

std::int64_t whole_number(const SettingValue& value, std::int64_t low, std::int64_t high,
                          std::string_view unit) {
    const auto refuse = [&]() -> BadInput {
        return BadInput(fmt::format("give a number{} from {} to {}", unit, low, high));
    };
    std::int64_t number = 0;
    if (const auto* given = std::get_if<std::int64_t>(&value)) {
        number = *given;
    } else if (const auto* text = std::get_if<std::string>(&value)) {
        const auto* end = text->data() + text->size();
        const auto [rest, code] = std::from_chars(text->data(), end, number);
        if (code != std::errc() || rest != end) {
            throw refuse();
        }
    } else {
        throw refuse();
    }
    if (number < low || number > high) {
        throw refuse();
    }
    return number;
}

std::string plain_text(const SettingValue& value, std::string_view what) {
    if (const auto* text = std::get_if<std::string>(&value)) {
        return *text;
    }
    throw BadInput(fmt::format("give {} in quotes", what));
}

namespace {
bool on_one_line(std::string_view text) {
    return std::none_of(text.begin(), text.end(), [](unsigned char letter) { return letter < ' '; });
}
}  // namespace

std::string label_text(const SettingValue& value) {
    auto text = plain_text(value, "a text");
    const bool number = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
    if (number || !on_one_line(text) || text == "last") {
        throw BadInput("give text on one line that is neither a number nor 'last'");
    }
    return text;
}

std::map<std::string, std::string> tag_map(const std::vector<std::string>& tags) {
    std::map<std::string, std::string> found;
    for (const auto& tag : tags) {
        const auto equals = tag.find('=');
        const auto key = tag.substr(0, equals);
        const bool plain = !key.empty() && std::all_of(key.begin(), key.end(), [](unsigned char letter) {
            return std::isalnum(letter) != 0 || letter == '.' || letter == '_' || letter == '-';
        });
        if (equals == std::string::npos || !plain || !on_one_line(tag)) {
            throw BadInput("give KEY=VALUE such as switch=new, the key of letters, digits, '.', '_' and '-'");
        }
        if (!found.emplace(key, tag.substr(equals + 1)).second) {
            throw BadInput(fmt::format("give the key '{}' once", key));
        }
    }
    return found;
}

Flavour flavour_from(const SettingValue& value) {
    const auto text = plain_text(value, "a flavour such as openmpi");
    const auto found = from_text<Flavour>(text);
    if (!found) {
        const std::vector<std::string> known(names_of<Flavour>.begin(), names_of<Flavour>.end());
        throw UnknownName("MPI flavour", text, known, "there are " + and_list(known));
    }
    return *found;
}

bool yes_or_no(const SettingValue& value) {
    if (const auto* given = std::get_if<bool>(&value)) {
        return *given;
    }
    throw BadInput("give true or false");
}

std::vector<std::string> words(const SettingValue& value, std::string_view fix) {
    std::vector<std::string> list;
    if (const auto* given = std::get_if<std::vector<std::string>>(&value)) {
        for (const auto& item : *given) {
            const auto parts = split(item, ',');
            list.insert(list.end(), parts.begin(), parts.end());
        }
    } else if (const auto* text = std::get_if<std::string>(&value)) {
        list = split(*text, ',');
    } else if (const auto* number = std::get_if<std::int64_t>(&value)) {
        list.push_back(fmt::format("{}", *number));
    }
    if (list.empty()) {
        throw BadInput(std::string(fix));
    }
    return list;
}

double percentage(const SettingValue& value) {
    constexpr double most = 1000;
    double number = -1;
    if (const auto* given = std::get_if<double>(&value)) {
        number = *given;
    } else if (const auto* whole = std::get_if<std::int64_t>(&value)) {
        number = static_cast<double>(*whole);
    } else if (const auto* text = std::get_if<std::string>(&value)) {
        const auto* end = text->data() + text->size() - (text->ends_with('%') ? 1 : 0);
        const auto [rest, code] = std::from_chars(text->data(), end, number);
        number = code == std::errc() && rest == end ? number : -1;
    }
    if (!(number > 0 && number <= most)) {
        throw BadInput(fmt::format("give a percentage above 0 and up to {}", most));
    }
    return number;
}

double real_number(const SettingValue& value, double low, double high) {
    const auto* text = std::get_if<std::string>(&value);
    const auto* real = std::get_if<double>(&value);
    const auto* whole = std::get_if<std::int64_t>(&value);
    double number = real != nullptr ? *real : whole != nullptr ? static_cast<double>(*whole) : 0;
    if (text != nullptr) {
        const auto* end = text->data() + text->size();
        const auto [rest, code] = std::from_chars(text->data(), end, number);
        number = code == std::errc() && rest == end ? number : 0;
    }
    if (!(number >= low && number <= high)) {
        throw BadInput(fmt::format("give a number from {} to {}", low, high));
    }
    return number;
}

std::string quoted(const SettingValue& value) {
    return std::visit(
        [](const auto& given) {
            using Given = std::decay_t<decltype(given)>;
            if constexpr (std::is_same_v<Given, std::string>) {
                return fmt::format("\"{}\"", given);
            } else if constexpr (std::is_same_v<Given, std::vector<std::string>>) {
                return fmt::format("[{}]", fmt::join(given, ", "));
            } else {
                return fmt::format("{}", given);
            }
        },
        value);
}

}  // namespace fathom::plan
