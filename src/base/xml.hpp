#pragma once

#include <string>
#include <string_view>

namespace fathom {

/// Text as XML and SVG take it between tags and within quotes. It is made printable too.
std::string xml_text(std::string_view raw);

}  // namespace fathom
