#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command_line.hpp"
#include "plan/settings.hpp"

namespace fathom::cli {

/// The settings of a plan as they were given on the command line.
class GivenSettings {
  public:
    /// Adds an option for every row of the table of settings; `--X` comes with `--no-X` where X is on or off.
    void add_all(const Command& command);
    /// Adds those that `fathom clock` takes: how to start processes, and `--clock-X` as `--X`.
    void add_for_clock(const Command& command);

    /// Adds those of a job that measures given implementations: all but what performs collectives, with
    /// operations as `--op`. Help says what they are in `defaults`.
    void add_for_implementations(const Command& command, const plan::Plan& defaults);

    /// Adds those of a tuning, which varies itself what performs collectives.
    void add_for_tuning(const Command& command, const plan::Plan& defaults);

    [[nodiscard]] bool any() const;
    /// Whether one of these was given, by their keys.
    [[nodiscard]] bool has(std::initializer_list<std::string_view> keys) const;
    /// The operations as they were given, for rewriting into names that the table knows.
    [[nodiscard]] std::vector<std::string>& operations() { return given_.at("operations").words; }
    /// Throws BadInput that names the option and the fix.
    void apply_to(plan::Plan& plan) const;

  private:
    struct Given {
        std::optional<Option> option;
        std::optional<Option> opposite;  // of a toggle
        bool on = false;
        bool off = false;
        std::string text;
        std::vector<std::string> words;

        [[nodiscard]] bool is_there() const;
        [[nodiscard]] plan::SettingValue value(const plan::Setting& setting) const;
    };

    void add(const Command& command, const plan::Setting& setting, const std::string& options,
             const plan::Plan& defaults);

    std::map<std::string_view, Given> given_;
};

}  // namespace fathom::cli
