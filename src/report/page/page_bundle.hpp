#pragma once

#include <span>
#include <string_view>

namespace fathom::report {

/// The script and the style of the report page as the build made them from web/, in pieces.
struct PageBundle {
    std::span<const std::string_view> script;
    std::span<const std::string_view> style;
    std::string_view script_hash;  ///< `sha256-...`, as a content-security policy names it
    std::string_view style_hash;
    std::string_view missing;  ///< why this build has none; empty if it has

    [[nodiscard]] bool there() const { return missing.empty(); }
};

/// Written by the build (cmake/Web.cmake).
const PageBundle& page_bundle();

}  // namespace fathom::report
