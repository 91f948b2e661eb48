#include "plan/grid.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace fathom::plan {
namespace {

/// How one kind of value is parsed and named in messages.
struct GridKind {
    std::int64_t (*parse)(std::string_view text);
    std::string_view values;   ///< `sizes`
    std::string_view smaller;  ///< `the smaller size`
    std::string_view example;  ///< `1:1M`
};

constexpr std::int64_t most_procs = 10'000'000;

std::int64_t parse_procs(std::string_view text) {
    std::int64_t number = 0;
    const auto* end = text.data() + text.size();
    const auto [rest, code] = std::from_chars(text.data(), end, number);
    if (code != std::errc() || rest != end || number < 1 || number > most_procs) {
        throw BadInput(fmt::format("give a number from 1 to {}, or several as 2,4,8 or 2:64", most_procs));
    }
    return number;
}

constexpr GridKind sizes{[](std::string_view text) { return parse_bytes(text).count; }, "sizes",
                         "the smaller size", "1:1M"};
constexpr GridKind process_counts{parse_procs, "process counts", "the smaller count", "2:64"};

void add(Grid& grid, std::string_view specification, const GridKind& kind) {
    const auto parts = split(specification, ':');
    if (parts.size() == 1) {
        grid.values.push_back(kind.parse(parts[0]));
        return;
    }
    const bool refined = parts.size() == 3 && parts[2] == "auto";
    if (parts.size() != 2 && !refined) {
        throw BadInput(fmt::format("'{}' is not a range of {}; give FIRST:LAST such as {}, or {}:auto",
                                   specification, kind.values, kind.example, kind.example));
    }
    const auto first = kind.parse(parts[0]);
    const auto last = kind.parse(parts[1]);
    if (first > last) {
        throw BadInput(
            fmt::format("the range '{}' runs backwards; give {} first", specification, kind.smaller));
    }
    // Doubling from 0 would stay there: 0 is followed by 1.
    for (auto value = first; value < last; value = std::max<std::int64_t>(1, 2 * value)) {
        grid.values.push_back(value);
    }
    grid.values.push_back(last);
    if (refined) {
        grid.refined.push_back({first, last});
    }
}

Grid grid_of(const std::vector<std::string>& specifications, const GridKind& kind) {
    Grid grid;
    for (const auto& specification : specifications) {
        add(grid, specification, kind);
    }
    std::sort(grid.values.begin(), grid.values.end());
    grid.values.erase(std::unique(grid.values.begin(), grid.values.end()), grid.values.end());
    return grid;
}

}  // namespace

Grid size_grid(const std::vector<std::string>& specifications) {
    return grid_of(specifications, sizes);
}

Grid process_grid(const std::vector<std::string>& specifications) {
    return grid_of(specifications, process_counts);
}

}  // namespace fathom::plan
