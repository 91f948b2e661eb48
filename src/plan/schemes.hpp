#pragma once

#include <span>
#include <string>
#include <string_view>

#include "plan/plan.hpp"

namespace fathom::plan {

/// How another benchmark measures, as settings that a user could write: how it starts, loops, rotates the
/// root, averages and what it reports.
struct Scheme {
    std::string_view name;
    std::string_view benchmark;  ///< whose it is
    std::string_view summary;
    std::string_view toml;
};

/// All schemes of others, in the order they are shown.
std::span<const Scheme> schemes();

/// Throws UnknownName if there is none such.
const Scheme& find_scheme(std::string_view name);

/// Applies a scheme's settings and name to a plan.
void apply_scheme(Plan& plan, std::string_view name);

/// What `--compare-schemes` measures: fathom's own way, the schemes of others, and what lies between them so
/// that each difference has one cause.
inline constexpr std::string_view own_scheme = "fathom";
inline constexpr std::string_view in_a_row_scheme = "in-a-row";
std::vector<std::string> compared_schemes();

/// The settings by which a point is measured: those of the plan, with the point's scheme.
Plan settings_of(const Plan& plan, const PointKey& point);

}  // namespace fathom::plan
