#pragma once

#include <cstdint>
#include <string>

#include "probe/interfaces/group.hpp"

namespace fathom::probe {

/// A rank that has not answered by then is considered lost.
inline constexpr Nanoseconds longest_silence{10'000'000'000};

/// Broadcasts rank 0's value to the group along our own binomial tree. Returns it on all ranks.
/// Throws NotMeasured, naming the rank that did not answer within `patience`.
std::int64_t broadcast_word(Group& group, std::int64_t word, Nanoseconds patience);

/// The same for a text without urgency: waiting ranks release their processors.
std::string broadcast_text_idle(Group& group, const std::string& text);

}  // namespace fathom::probe
