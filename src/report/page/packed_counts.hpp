#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace fathom::report {

/// Counts of bins as short text: for every bin that is not empty the number of empty ones before it and its
/// count, as varints (seven bits a byte, the low ones first), in base64.
std::string packed_counts(std::span<const std::int64_t> counts);

/// Bytes as base64 with padding.
std::string base64(std::string_view bytes);

}  // namespace fathom::report
