#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "plan/unknown_name.hpp"

namespace fathom::plan {

/// The row of this name. Throws UnknownName with the likeliest one; `kind` is what a row is: `preset`.
template <typename Rows>
const auto& find_by_name(const Rows& rows, std::string_view name, std::string_view kind) {
    const auto found =
        std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.name == name; });
    if (found != rows.end()) {
        return *found;
    }
    std::vector<std::string> names;
    for (const auto& row : rows) {
        names.emplace_back(row.name);
    }
    throw UnknownName(kind, name, names, fmt::format("'fathom list {}s' shows all", kind));
}

}  // namespace fathom::plan
