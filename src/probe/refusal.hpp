#pragma once

#include <optional>
#include <string>

#include "base/named_enum.hpp"
#include "journal/records.hpp"

namespace fathom::probe {

/// Why a point has no result; travels between ranks as text.
struct Refusal {
    journal::PointStatus status = journal::PointStatus::failed;
    std::string reason;

    [[nodiscard]] std::string text() const { return std::string(to_text(status)) + ":" + reason; }
    static std::optional<Refusal> from(const std::string& text) {
        const auto colon = text.find(':');
        const auto status = from_text<journal::PointStatus>(text.substr(0, colon));
        return colon == std::string::npos || !status
                   ? std::nullopt
                   : std::optional(Refusal{*status, text.substr(colon + 1)});
    }
};

}  // namespace fathom::probe
