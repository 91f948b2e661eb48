#include "plan/presets.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "plan/plan_toml.hpp"

namespace fathom::plan {
namespace {

constexpr auto table = std::to_array<Preset>({
    {"quick", "a first look in under a minute on 2 cores",
     R"(operations = ["pingpong", "barrier", "bcast", "allreduce"]
sizes = ["8", "64", "1k", "8k", "64k", "512k", "4M"]
point_budget_ms = 1000
)"},
    {"standard", "the common operations over sizes from 1 B to 4 MiB, each to 2 %",
     R"(operations = ["pingpong", "barrier", "bcast", "reduce", "allreduce"]
sizes = ["1:4M"]
point_budget_ms = 5000
)"},
});

}  // namespace

std::span<const Preset> presets() {
    return table;
}

void apply_preset(Plan& plan, std::string_view name) {
    const auto* const found =
        std::find_if(table.begin(), table.end(), [&](const auto& row) { return row.name == name; });
    if (found == table.end()) {
        std::vector<std::string> names;
        for (const auto& preset : table) {
            names.emplace_back(preset.name);
        }
        throw BadInput(fmt::format("no preset '{}'.{} ('fathom list presets' shows all.)", name,
                                   did_you_mean(name, names)));
    }
    read_plan(plan, found->toml, fmt::format("preset {}", name));
}

}  // namespace fathom::plan
