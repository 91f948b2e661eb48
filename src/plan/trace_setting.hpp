#pragma once

#include <string>
#include <string_view>

#include "plan/plan.hpp"

namespace fathom::plan {

/// Which calls are traced, as users write it: `all`, `off`, `every=10`, `window=1s..2s`,
/// `every=10,window=5s..`. Leaves the size of the ring alone. Throws BadInput.
void set_traced_calls(TraceSettings& trace, const std::string& text);
std::string traced_calls_text(const TraceSettings& trace);

/// Whether a word begins like one of these: `--trace` may also stand alone on the command line, and what
/// follows is then an operation.
bool is_trace_value(std::string_view text);

}  // namespace fathom::plan
