#include "plan/grid.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

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

/// More than anyone measures; a step that is too small must not fill the memory before it is noticed.
constexpr std::int64_t most_values = 100'000;

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

/// `+100`
std::int64_t parse_step(std::string_view text, const GridKind& kind) {
    const auto step = kind.parse(text.substr(1));
    if (step == 0) {
        throw BadInput(fmt::format("the step '{}' goes nowhere; give one above 0", text));
    }
    return step;
}

/// `*1.41`
double parse_factor(std::string_view text) {
    double factor = 0;
    const auto* end = text.data() + text.size();
    const auto [rest, code] = std::from_chars(text.data() + 1, end, factor);
    if (code != std::errc() || rest != end || !(factor > 1) || !std::isfinite(factor)) {
        throw BadInput(fmt::format("'{}' is no factor; give one above 1 such as *1.41", text));
    }
    return factor;
}

/// From the first to below the last by a step.
std::vector<std::int64_t> stepped(std::int64_t first, std::int64_t last, std::int64_t step,
                                  std::string_view specification) {
    if ((last - first) / step >= most_values) {
        throw BadInput(fmt::format("the range '{}' has more than {} values; give a larger step",
                                   specification, most_values));
    }
    std::vector<std::int64_t> values{first};
    // Compared this way round, the largest size is not exceeded.
    while (last - values.back() > step) {
        values.push_back(values.back() + step);
    }
    return values;
}

/// The same by a factor, rounded to whole numbers. Multiplying 0 would stay there: 0 is followed by 1.
std::vector<std::int64_t> multiplied(std::int64_t first, std::int64_t last, double factor,
                                     std::string_view specification) {
    const auto span = static_cast<double>(last) / static_cast<double>(std::max<std::int64_t>(1, first));
    if (std::log(span) / std::log(factor) > most_values) {
        throw BadInput(fmt::format("the range '{}' has more than {} values; give a larger factor",
                                   specification, most_values));
    }
    std::vector<std::int64_t> values{first};
    // Multiplied as a real number, so that rounding does not add up.
    auto exact = first == 0 ? 1 : static_cast<double>(first) * factor;
    for (; exact < static_cast<double>(last); exact *= factor) {
        const auto value = std::llround(exact);
        if (value > values.back() && value < last) {
            values.push_back(value);
        }
    }
    return values;
}

/// `8..64k` and `8-64k` are ranges in other languages.
void refuse_other_ranges(std::string_view specification, const GridKind& kind) {
    for (const std::string_view mark : {"...", "..", "-"}) {
        const auto at = specification.find(mark);
        if (at == std::string_view::npos || at == 0 || at + mark.size() == specification.size()) {
            continue;
        }
        const auto first = specification.substr(0, at);
        const auto last = specification.substr(at + mark.size());
        try {
            (void)kind.parse(first);
            (void)kind.parse(last);
        } catch (const BadInput&) {
            continue;
        }
        throw BadInput(fmt::format("write the range as {}:{}, which doubles", first, last));
    }
}

void add(Grid& grid, std::string_view specification, const GridKind& kind) {
    refuse_other_ranges(specification, kind);
    const auto parts = split(specification, ':');
    if (parts.size() == 1) {
        grid.values.push_back(kind.parse(parts[0]));
        return;
    }
    const std::string_view how = parts.size() == 3 ? std::string_view(parts[2]) : "";
    const bool refined = how == "auto";
    const bool steps = how.starts_with('+');
    const bool multiplies = how.starts_with('*');
    if (parts.size() != 2 && !refined && !steps && !multiplies) {
        throw BadInput(
            fmt::format("'{0}' is not a range of {1}; give FIRST:LAST such as {2}, {2}:auto, {2}:+STEP or "
                        "{2}:*FACTOR",
                        specification, kind.values, kind.example));
    }
    const auto first = kind.parse(parts[0]);
    const auto last = kind.parse(parts[1]);
    if (first > last) {
        throw BadInput(
            fmt::format("the range '{}' runs backwards; give {} first", specification, kind.smaller));
    }
    constexpr double doubling = 2;
    const auto values =
        steps ? stepped(first, last, parse_step(how, kind), specification)
              : multiplied(first, last, multiplies ? parse_factor(how) : doubling, specification);
    grid.values.insert(grid.values.end(), values.begin(), values.end());
    grid.values.push_back(last);
    if (refined) {
        grid.refined.push_back({first, last});
    }
}

Grid grid_of(const std::vector<std::string>& specifications, const GridKind& kind) {
    Grid grid;
    for (const auto& specification : specifications) {
        add(grid, specification, kind);
        if (grid.values.size() > static_cast<std::size_t>(most_values)) {
            throw BadInput(fmt::format("there are more than {} {}; give fewer", most_values, kind.values));
        }
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
