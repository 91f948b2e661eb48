#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "clock/names.hpp"

namespace fathom::probe {

/// A number for a text, the same on every host and never 0.
std::int64_t number_of(std::string_view text);

/// What two processes must have in common for their clocks to be one: boot of the host, time namespace,
/// source and its rate. 0 for a source whose origin differs between processes.
std::int64_t clock_identity(clock::Source source, std::string_view rate);

}  // namespace fathom::probe
