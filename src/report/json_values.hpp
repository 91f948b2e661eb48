#pragma once

#include <optional>

#include "journal/json.hpp"
#include "stats/summary.hpp"

namespace fathom::report {

/// A value that may be missing: then null.
template <typename Value>
nlohmann::ordered_json or_null(const std::optional<Value>& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

inline nlohmann::ordered_json or_null(const std::optional<stats::Interval>& interval) {
    return interval ? nlohmann::ordered_json::array({interval->low, interval->high})
                    : nlohmann::ordered_json(nullptr);
}

}  // namespace fathom::report
