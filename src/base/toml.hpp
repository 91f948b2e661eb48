#pragma once

#include <string>
#include <string_view>

#include <toml++/toml.h>

/// TOML as people write it for fathom: plans and trees.
namespace fathom {

/// The table of a text. Throws BadInput that names `source` and the line if it is not TOML, or if a key has
/// more parts than the parser can free.
toml::table parse_toml(std::string_view text, const std::string& source);

/// `plan.toml:14`; without the line if it is not known.
std::string place_in(const std::string& source, const toml::source_region& region);

}  // namespace fathom
