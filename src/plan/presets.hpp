#pragma once

#include <span>
#include <string_view>

#include "plan/plan.hpp"

namespace fathom::plan {

/// A plan with a name, kept as the TOML that a user could write.
struct Preset {
    std::string_view name;
    std::string_view summary;
    std::string_view toml;
};

/// The default for everything that is not set.
inline constexpr std::string_view default_preset = "quick";

std::span<const Preset> presets();

/// Applies a preset to a plan. Throws BadInput with the nearest name if there is none such.
void apply_preset(Plan& plan, std::string_view name);

}  // namespace fathom::plan
