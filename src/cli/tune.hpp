#pragma once

#include "cli/command_line.hpp"

namespace fathom::cli {

/// `fathom tune` itself.
[[nodiscard]] Command add_tune_search(const Command& program, Invocation& invocation);

// One function per sub-command of `fathom tune`, each in a file of its name: tune_model.cpp. A new one is a
// function here and a row of the table in tune.cpp.
void add_tune_model(const Command& tune, Invocation& invocation);
void add_tune_fit(const Command& tune, Invocation& invocation);
void add_tune_report(const Command& tune, Invocation& invocation);

}  // namespace fathom::cli
