#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/point/point_result.hpp"

namespace fathom::analysis {

/// What a point says about varied settings. Best: faster than each of the others; shared: faster than the
/// slowest, but not than the next; alike: hardly a difference between the fastest and the slowest; undecided:
/// a larger one, which the scatter of launches would explain as well.
enum class SettingVerdict { best, shared, alike, undecided, too_few_launches, not_measured };
constexpr std::array<std::string_view, 6> enum_names(SettingVerdict /*unused*/) {
    return {"best", "shared", "no-difference", "undecided", "too-few-launches", "not-measured"};
}

/// A point with one combination of settings.
struct SettingResult {
    std::string setting;                     ///< as PointKey::setting
    std::vector<std::string> values;         ///< of each setting in turn
    std::optional<stats::Reduced> value_ns;  ///< absent if it was not measured
    std::vector<double> launches_ns;         ///< empty if there was one launch
    Quality quality = Quality::good;
};

/// A point with all combinations. Decided launch by launch, as each launch is one independent value.
struct SettingComparison {
    PointKey key;                         ///< of no setting
    std::vector<std::string> names;       ///< of the settings
    std::vector<SettingResult> settings;  ///< in the order of the plan
    SettingVerdict verdict = SettingVerdict::not_measured;
    // Unless it was not measured, indices of those by time:
    std::size_t fastest = 0;
    std::size_t next = 0;
    std::size_t slowest = 0;
    double p_next = 1;     ///< that the fastest is not faster than the next, corrected
    double p_slowest = 1;  ///< the same of the slowest

    /// By how much the slowest takes longer than the fastest.
    [[nodiscard]] double ratio() const {
        return settings[slowest].value_ns->value / settings[fastest].value_ns->value;
    }
    /// Whether it makes a difference which one is taken.
    [[nodiscard]] bool matters() const {
        return verdict == SettingVerdict::best || verdict == SettingVerdict::shared;
    }
};

/// For every point of which several combinations of the plan's settings were measured. P values are corrected
/// for all pairs of combinations (Bonferroni) and all points (Holm).
std::vector<SettingComparison> compare_settings(const std::vector<PointResult>& points,
                                                const plan::Plan& plan);

}  // namespace fathom::analysis
