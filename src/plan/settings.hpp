#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "plan/plan.hpp"

namespace fathom::plan {

/// A value of a setting as it was written, on the command line (always text) or in TOML.
using SettingValue = std::variant<bool, std::int64_t, double, std::string, std::vector<std::string>>;

/// The value as a message quotes it.
std::string quoted(const SettingValue& value);

/// How a setting is written on the command line.
enum class SettingKind { text, list, toggle };

/// What a setting is about, which says where it is offered: `fathom run` takes all, `fathom clock` those of
/// starting and of the clock (there without the prefix `clock-`).
enum class SettingScope { measuring, starting, clock };

/// One row of the table from which the options, the TOML keys, `--help` and the stored plan are made.
struct Setting {
    std::string_view key;  ///< in TOML
    std::string_view
        options;  ///< on the command line, as `-n,--procs`; empty: the operations, which stand alone
    SettingKind kind;
    SettingScope scope;
    std::string_view value_name;
    std::string_view help;
    /// Takes the value into the plan. Throws BadInput whose sentence says what to give instead.
    void (*set)(Plan& plan, const SettingValue& value);
    /// The value in the plan, in the form that TOML holds.
    SettingValue (*get)(const Plan& plan);
    /// Whether the plan says nothing here (an empty text, an absent number).
    bool (*absent)(const Plan& plan);
};

/// What a repetition may count as over ranks.
inline constexpr std::array<std::string_view, 7> over_ranks_choices{"auto", "max", "span", "root",
                                                                    "mean", "min", "each"};

/// All settings of a plan.
std::span<const Setting> settings();

}  // namespace fathom::plan
