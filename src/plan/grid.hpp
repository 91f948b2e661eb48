#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"

/// Values of a parameter as people write them: message sizes, process counts.
namespace fathom::plan {

/// A range to be refined where the times require it.
struct RefinedRange {
    std::int64_t first = 0;
    std::int64_t last = 0;

    friend bool operator==(const RefinedRange&, const RefinedRange&) = default;
};

/// Where to measure at first, sorted, each value once; and where to look closer afterwards.
struct Grid {
    std::vector<std::int64_t> values;
    std::vector<RefinedRange> refined;
};

/// Message sizes: `8`, `64k`, a doubling range `1:1M` (its end is always included), one with a step
/// `0:1000:+100` or a factor `1:1M:*1.41`, or one that is refined, `1:1M:auto`. Throws BadInput that quotes
/// the text.
Grid size_grid(const std::vector<std::string>& specifications);

/// Process counts: `2`, `2:64`, `2:64:+2`, `2:64:*1.5`, `2:64:auto`.
Grid process_grid(const std::vector<std::string>& specifications);

}  // namespace fathom::plan
