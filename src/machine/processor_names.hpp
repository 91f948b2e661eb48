#pragma once

#include <string>
#include <string_view>

namespace fathom::machine {

/// The name of an Arm processor by the numbers that the kernel shows of it: `Arm Neoverse-N1 (r3)`. Numbers
/// that are not known are shown as they are: they still distinguish two machines.
std::string arm_processor_name(std::string_view implementer, std::string_view part, std::string_view variant);

}  // namespace fathom::machine
