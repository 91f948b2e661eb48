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
    std::string_view between_two;  ///< TOML: what it does otherwise for operations between two ranks
    /// What depends on the operation, its size and its process count, such as numbers of calls.
    void (*suit)(Plan& settings, const OperationInfo& operation, const PointKey& point) = nullptr;
};

/// All schemes of others, in the order they are shown.
std::span<const Scheme> schemes();

/// Throws UnknownName if there is none such.
const Scheme& find_scheme(std::string_view name);

/// Applies a scheme's settings and name to a plan. What depends on the point is applied by settings_of,
/// except where a setting is given afterwards.
void apply_scheme(Plan& plan, std::string_view name);

/// What `--compare-schemes` measures besides the schemes of others: fathom's own way, and what lies between
/// them so that each difference has one cause.
inline constexpr std::string_view own_scheme = "fathom";
inline constexpr std::string_view in_a_row_scheme = "in-a-row";
/// Fathom's own way with the two ranks that others take.
inline constexpr std::string_view first_two_scheme = "pair-0-1";
inline constexpr std::string_view slowest_pair_scheme = "pair-max-latency";
inline constexpr std::string_view half_apart_scheme = "pair-half";

/// All that are compared for an operation, fathom's own way first.
std::vector<std::string> compared_schemes(const OperationInfo& operation);

/// The settings by which a point is measured: those of the plan, with the scheme of the point or of the plan.
Plan settings_of(const Plan& plan, const PointKey& point);

}  // namespace fathom::plan
