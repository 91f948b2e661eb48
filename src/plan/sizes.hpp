#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"

namespace fathom::plan {

/// Message sizes of one specification: `8`, `64k`, or a doubling range `1:1M` (its end is always included).
/// Throws BadInput that quotes the text.
std::vector<Bytes> expand_sizes(std::string_view specification);

/// Sizes of several specifications, sorted, each once.
std::vector<Bytes> expand_sizes(const std::vector<std::string>& specifications);

}  // namespace fathom::plan
