#pragma once

#include <cstdint>
#include <string>

#include "probe/interfaces/group.hpp"

namespace fathom::probe {

/// A rank that has not answered by then is taken for lost.
inline constexpr Nanoseconds longest_silence{10'000'000'000};

/// Gives rank 0's word to all ranks of the group along a binomial tree of our own. Returns it everywhere.
/// Throws NotMeasured, naming the rank that was silent for longer than `patience`.
std::int64_t broadcast_word(Group& group, std::int64_t word, Nanoseconds patience);

/// The same for a text that ranks wait for at leisure: they leave their processors to others meanwhile.
std::string broadcast_text_idle(Group& group, const std::string& text);

}  // namespace fathom::probe
