// How often the interval of a run contains its point's true value, and how wide it is, with 0 to 10 runs
// stored before it, on runs whose truth is known:
//     build/bench/fathom-between-runs            (about a minute)
// docs/method.md quotes what it prints.

#include <array>
#include <string_view>

#include <fmt/format.h>

#include "stats/between_runs/synthetic_runs.hpp"

namespace {

using fathom::testing::RunsModel;

struct Row {
    std::string_view name;
    RunsModel model;
};

constexpr std::array<std::size_t, 6> stored{0, 1, 2, 3, 5, 10};
constexpr double root_half = 0.7071067811865476;

constexpr RunsModel half_in_common(double deviation) {
    return {.common = deviation * root_half, .own = deviation * root_half, .unlike = 0.3, .launch = 0.005};
}

RunsModel with(RunsModel model, std::size_t points, double change = 0) {
    model.points = points;
    model.change = change;
    return model;
}

}  // namespace

int main() {
    constexpr int trials = 1'000;
    const std::array<Row, 11> rows{{
        {"0.4 %, half of it in common", half_in_common(0.004)},
        {"0.6 %, half of it in common", half_in_common(0.006)},
        {"0.9 %, half of it in common", half_in_common(0.009)},
        {"0.6 %, all of it in common", {.common = 0.006, .launch = 0.005}},
        {"0.6 %, each point for itself", {.own = 0.006, .unlike = 0.3, .launch = 0.005}},
        {"0.6 %, one point", with(half_in_common(0.006), 1)},
        {"0.6 %, five points", with(half_in_common(0.006), 5)},
        {"0.6 %, and 5 % slower from the middle on", with(half_in_common(0.006), 20, 0.05)},
        {"0.6 %, and 30 % slower from the middle on", with(half_in_common(0.006), 20, 0.3)},
        {"3 %, half of it in common", half_in_common(0.03)},
        {"no difference", {.launch = 0.005}},
    }};
    fmt::print("| runs differ by |");
    for (const auto count : stored) {
        fmt::print(" {} stored |", count);
    }
    fmt::print("\n|---|---|---|---|---|---|---|\n");
    for (const auto& row : rows) {
        fmt::print("| {} |", row.name);
        for (const auto count : stored) {
            const auto found = fathom::testing::coverage_with(row.model, count, trials, 1);
            fmt::print(" {:.1f} %, {:.1f} % |", 100 * found.share, 100 * found.width);
        }
        fmt::print("\n");
    }
}
