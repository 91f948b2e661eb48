#pragma once

#include <optional>
#include <string>

namespace fathom::probe {

/// Why a point has no result; travels between ranks as text.
struct Refusal {
    std::string status;
    std::string reason;

    [[nodiscard]] std::string text() const { return status + ":" + reason; }
    static std::optional<Refusal> from(const std::string& text) {
        const auto colon = text.find(':');
        return colon == std::string::npos
                   ? std::nullopt
                   : std::optional(Refusal{text.substr(0, colon), text.substr(colon + 1)});
    }
};

}  // namespace fathom::probe
