// How often comparisons raise a false alarm, come to a verdict and find a slow-down, where launches differ
// and repetitions are disturbed, on synthetic data: fathom-verdicts [GATES], the number of gates of each row.
// The tables of docs/method.md rest on it.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "analysis/disturbed_run.hpp"
#include "launch/against.hpp"

namespace {

using fathom::testing::DisturbedModel;
using fathom::testing::gate_rates;
using fathom::testing::GateRates;

struct Row {
    std::string_view what;
    DisturbedModel model;
};

const std::vector<Row>& rows() {
    static const std::vector<Row> all{
        {"quiet, launches differ by 1 %", {.between = 0.01}},
        {"quiet, 2 %", {.between = 0.02}},
        {"5 % disturbed, 2 %", {.between = 0.02, .disturbed = 0.05}},
        {"30 % disturbed, 2 %", {.between = 0.02, .disturbed = 0.3}},
        {"30 % disturbed, 4 %", {.between = 0.04, .disturbed = 0.3}},
        {"30 % disturbed, 4 %, one launch in ten wholly", {.between = 0.04, .disturbed = 0.3, .wholly = 0.1}},
        {"30 % disturbed, 4 %, one launch in ten takes 30 % longer",
         {.between = 0.04, .far = 0.3, .disturbed = 0.3}},
        {"30 % disturbed, 4 %, times spread by 30 %", {.between = 0.04, .spread = 0.3, .disturbed = 0.3}}};
    return all;
}

/// Verdicts after as many launches as `run --against` takes them.
std::vector<std::size_t> looks_in_turn() {
    const fathom::launch::TurnLimits limits;
    std::vector<std::size_t> looks;
    int at = limits.first_look;
    for (int look = 0; look < limits.looks; ++look, at = fathom::launch::next_look(at)) {
        looks.push_back(static_cast<std::size_t>(at));
    }
    return looks;
}

struct Found {
    GateRates same;
    GateRates five;
    GateRates ten;
};

/// At a limit of 5 %, for the slow-down by 5 % of 2 %.
Found found(const DisturbedModel& model, int gates, const std::vector<std::size_t>& looks) {
    constexpr double limit = 0.05;
    constexpr double small_limit = 0.02;
    return {.same = gate_rates(model, 1, gates, looks, 1, limit),
            .five = gate_rates(model, 1.05, gates, looks, 2, small_limit),
            .ten = gate_rates(model, 1.1, gates, looks, 3, limit)};
}

std::size_t middle(std::vector<std::size_t> launches) {
    std::ranges::sort(launches);
    return launches[launches.size() / 2];
}

void print_table(int gates) {
    fmt::print(
        "| machine | alarms | 5 launches each: decided | 5 % found | 10 % found | in turn: decided | "
        "launches | 5 % found | launches | 10 % found | launches |\n"
        "|---|---|---|---|---|---|---|---|---|---|---|\n");
    const auto percent = [&](int count) { return fmt::format("{:.0f} %", 100.0 * count / gates); };
    for (const auto& [what, model] : rows()) {
        const auto stored = found(model, gates, {5});
        const auto turns = found(model, gates, looks_in_turn());
        fmt::print("| {} | {} of {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", what,
                   stored.same.fails + turns.same.fails, 2 * gates,
                   percent(stored.same.fails + stored.same.holds), percent(stored.five.fails),
                   percent(stored.ten.fails), percent(turns.same.fails + turns.same.holds),
                   middle(turns.same.launches), percent(turns.five.fails), middle(turns.five.launches),
                   percent(turns.ten.fails), middle(turns.ten.launches));
        std::fflush(stdout);
    }
}

}  // namespace

int main(int count, char** arguments) {
    const int gates = count > 1 ? std::atoi(arguments[1]) : 100;
    if (gates < 1) {
        fmt::print(stderr, "usage: fathom-verdicts [GATES]\n");
        return 2;
    }
    print_table(gates);
    return 0;
}
