#pragma once

#include <array>
#include <string_view>

#include "cli/command_line.hpp"

namespace fathom::cli {

/// `fathom tune` itself.
[[nodiscard]] Command add_tune_search(const Command& program, Invocation& invocation);

// One function per sub-command of `fathom tune`, each in a file of its name: tune_model.cpp. A new one is a
// name and a function here, and a row of the table in tune.cpp.
inline constexpr std::array<std::string_view, 4> tune_commands{"protocol", "model", "fit", "report"};
void add_tune_model(const Command& tune, Invocation& invocation);
void add_tune_fit(const Command& tune, Invocation& invocation);
void add_tune_protocol(const Command& tune, Invocation& invocation);
void add_tune_report(const Command& tune, Invocation& invocation);

}  // namespace fathom::cli
