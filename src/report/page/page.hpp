#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace fathom::report {

/// The data of a report as one page that needs nothing else. The build must have a bundle. `elsewhere` says,
/// to readers whose browser runs no scripts, where the same figures are; it is HTML.
std::string page_html(nlohmann::ordered_json data, std::string_view title,
                      std::string_view elsewhere = "see the same figures with <code>fathom show</code>");

/// Writes arrays of objects with the same fields by column: `{"[]": LENGTH, FIELD: [VALUE, ...], ...}`, or
/// the one VALUE that all have. `read` in web/src/data.ts undoes it.
void pack(nlohmann::ordered_json& json);

/// JSON that can stand within a script element: what could end it or start markup is escaped.
std::string embedded_json(const nlohmann::ordered_json& json);

/// Text that can stand in HTML.
std::string html_text(std::string_view text);

}  // namespace fathom::report
