#pragma once

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

/// How a setting is written on the command line. The items of a list are separated by commas; each item of
/// one that is repeated is an option of its own.
enum class SettingKind { text, list, repeated, toggle };

/// The scope of a setting, which decides where it is offered: `fathom run` takes all, `fathom clock` those of
/// starting and of the clock (there without the prefix `clock-`).
enum class SettingScope { measuring, starting, clock };

/// Where help shows a setting: what most people need first, the rest by what it is about.
enum class SettingTopic { usual = 1, output, repetition, points, operation, clock_comparison, job };
constexpr std::string_view title_of(SettingTopic topic) {
    switch (topic) {
        case SettingTopic::usual:
            return "Options";
        case SettingTopic::output:
            return "Output";
        case SettingTopic::repetition:
            return "Repetitions and what is made of them";
        case SettingTopic::points:
            return "Points and searches";
        case SettingTopic::operation:
            return "What operations do";
        case SettingTopic::clock_comparison:
            return "Clocks";
        case SettingTopic::job:
            break;
    }
    return "The job";
}

/// Whether runs that differ in a setting measured the same thing. None is 0: no row can leave it out
/// unnoticed.
enum class IfDifferent { comparable = 1, not_comparable };

/// Where a setting is kept in a plan.
struct SettingAccess {
    void (*set)(Plan& plan, const SettingValue& value);
    SettingValue (*get)(const Plan& plan);
    bool (*absent)(const Plan& plan);
};

/// One row of the table from which the options, the TOML keys, `--help` and the stored plan are made.
struct Setting {
    std::string_view key;  ///< in TOML
    std::string_view
        options;  ///< on the command line, as `-n,--procs`; empty: the operations, which stand alone
    SettingKind kind;
    SettingScope scope;
    IfDifferent if_different;
    SettingTopic topic;
    std::string_view value_name;
    std::string_view help;
    SettingAccess access;

    /// Takes the value into the plan. Throws BadInput whose sentence says what to give instead.
    void set(Plan& plan, const SettingValue& value) const;
    /// The same for a value that the user gave: a scheme that was applied before leaves it alone.
    void give(Plan& plan, const SettingValue& value) const;
    /// The value in the plan, in the form that TOML holds.
    [[nodiscard]] SettingValue get(const Plan& plan) const { return access.get(plan); }
    /// Whether the plan says nothing here (an empty text, an absent number).
    [[nodiscard]] bool absent(const Plan& plan) const { return access.absent(plan); }
};

/// All settings of a plan.
std::span<const Setting> settings();

}  // namespace fathom::plan
