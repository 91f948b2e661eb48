#include "report/page/page.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/build_info.hpp"
#include "base/printable.hpp"
#include "base/units.hpp"
#include "journal/json.hpp"
#include "report/page/page_bundle.hpp"
#include "report/page/spread.hpp"

namespace fathom::report {
namespace {

using nlohmann::ordered_json;

/// Nothing may be loaded, and nothing run but the one script whose hash is given.
std::string policy(const PageBundle& bundle) {
    return fmt::format(
        "default-src 'none'; script-src '{}'; style-src '{}'; base-uri 'none'; form-action 'none'",
        bundle.script_hash, bundle.style_hash);
}

void append(std::string& page, std::span<const std::string_view> pieces) {
    for (const auto piece : pieces) {
        page += piece;
    }
}

/// Objects, of which all have the same fields.
bool is_table(const ordered_json& json) {
    const auto same_key = [](const auto& a, const auto& b) { return a.key() == b.key(); };
    return json.is_array() && json.size() > 1 &&
           std::all_of(json.begin(), json.end(), [&](const auto& object) {
               return object.is_object() && json[0].is_object() &&
                      std::equal(object.items().begin(), object.items().end(), json[0].items().begin(),
                                 json[0].items().end(), same_key);
           });
}

/// From so many on, points are written as short as can be.
constexpr std::size_t many_points = 2000;

void shorten_numbers(ordered_json& json) {
    if (json.is_number_float()) {
        json = shortened(json.get<double>());
    } else if (json.is_structured()) {
        std::for_each(json.begin(), json.end(), shorten_numbers);
    }
}

/// What only some points have, the others have as null: points of the same fields are packed by column.
void level_points(ordered_json& points) {
    if (!points.is_array() || points.size() < many_points) {
        return;
    }
    std::vector<std::string> names;
    for (const auto& point : points) {
        for (const auto& [name, value] : point.items()) {
            if (std::find(names.begin(), names.end(), name) == names.end()) {
                names.push_back(name);
            }
        }
    }
    for (auto& point : points) {
        ordered_json level = ordered_json::object();
        for (const auto& name : names) {
            level[name] = point.contains(name) ? std::move(point[name]) : ordered_json(nullptr);
        }
        shorten_numbers(level);
        point = std::move(level);
    }
}

constexpr std::string_view body_head =
    "<body>\n<a class=\"skip\" href=\"#main\">Skip to the findings</a>\n"
    "<noscript><p class=\"noscript\">This report draws its charts with a script that is part of this file. "
    "Scripts are turned off here: allow them for this file, or ";
constexpr std::string_view body_begin =
    ".</p></noscript>\n<div id=\"page\"></div>\n<script type=\"application/json\" id=\"data\">";

}  // namespace

void pack(ordered_json& json) {
    if (!json.is_structured()) {
        return;
    }
    std::for_each(json.begin(), json.end(), pack);
    if (!is_table(json)) {
        return;
    }
    ordered_json columns{{"[]", json.size()}};
    for (const auto& [name, first] : json[0].items()) {
        auto column = ordered_json::array();
        for (const auto& object : json) {
            column.push_back(object[name]);
        }
        const bool one =
            !first.is_array() && std::count(column.begin(), column.end(), first) == std::ssize(column);
        columns[name] = one ? first : std::move(column);
    }
    json = std::move(columns);
}

/// Gives sentences their micro signs. What somebody entered stays as it is.
void sign_sentences(ordered_json& json) {
    constexpr std::array<std::string_view, 5> entered{"command_line", "plan_toml", "label", "name",
                                                      "environment"};
    if (json.is_string()) {
        json = with_micro_sign(json.get_ref<const std::string&>());
    } else if (json.is_array()) {
        std::ranges::for_each(json, sign_sentences);
    } else if (json.is_object()) {
        for (auto& [name, value] : json.get_ref<ordered_json::object_t&>()) {
            if (std::ranges::find(entered, name) == entered.end()) {
                sign_sentences(value);
            }
        }
    }
}

std::string html_text(std::string_view text) {
    std::string safe;
    for (const char letter : text) {
        switch (letter) {
            case '<':
                safe += "&lt;";
                break;
            case '>':
                safe += "&gt;";
                break;
            case '&':
                safe += "&amp;";
                break;
            case '"':
                safe += "&quot;";
                break;
            case '\'':
                safe += "&#39;";
                break;
            default:
                safe += letter;
        }
    }
    return safe;
}

std::string embedded_json(const ordered_json& json) {
    // Outside of strings JSON has none of these letters, so escapes within strings are all that is needed.
    const auto plain = json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
    std::string safe;
    safe.reserve(plain.size() + plain.size() / 16);
    for (std::size_t i = 0; i < plain.size(); ++i) {
        const char letter = plain[i];
        if (letter == '<' || letter == '>' || letter == '&') {
            safe += fmt::format("\\u{:04x}", static_cast<unsigned>(letter));
        } else if (plain.compare(i, 3, "\xE2\x80\xA8") == 0 || plain.compare(i, 3, "\xE2\x80\xA9") == 0) {
            safe += plain[i + 2] == '\xA8' ? "\\u2028" : "\\u2029";
            i += 2;
        } else {
            safe += letter;
        }
    }
    return safe;
}

std::string page_html(ordered_json data, std::string_view title, std::string_view elsewhere) {
    if (const auto runs = data.find("runs"); runs != data.end()) {
        for (auto& run : *runs) {
            level_points(run["points"]);
        }
    }
    sign_sentences(data);
    pack(data);
    const auto& bundle = page_bundle();
    std::string page = fmt::format(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" content=\"fathom "
        "{}\">\n"
        "<title>{}</title>\n<style>",
        policy(bundle), html_text(build_info().version), html_text(printable(title)));
    append(page, bundle.style);
    page += "</style>\n</head>\n";
    page += body_head;
    page += elsewhere;
    page += body_begin;
    page += embedded_json(data);
    page += "</script>\n<script>";
    append(page, bundle.script);
    page += "</script>\n</body>\n</html>\n";
    return page;
}

}  // namespace fathom::report
