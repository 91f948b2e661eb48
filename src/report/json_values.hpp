#pragma once

#include <optional>

#include "journal/json.hpp"
#include "stats/summary.hpp"

namespace fathom::report {

/// What may be missing: null then.
template <typename Value>
nlohmann::ordered_json or_null(const std::optional<Value>& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

inline nlohmann::ordered_json or_null(const std::optional<stats::Interval>& interval) {
    return interval ? nlohmann::ordered_json::array({interval->low, interval->high})
                    : nlohmann::ordered_json(nullptr);
}

}  // namespace fathom::report
