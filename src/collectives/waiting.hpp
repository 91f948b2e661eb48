#pragma once

#include <cstdint>

namespace fathom::collectives {

/// Looks around without success before a thread lets others run. Alone on its core, about 50 us: longer than
/// a message in a host takes. Where ranks or threads share cores, whoever has to act next is probably waiting
/// for this one.
inline constexpr std::uint32_t looks_alone = 4096;
inline constexpr std::uint32_t looks_when_crowded = 16;

}  // namespace fathom::collectives
