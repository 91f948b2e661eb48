#include "probe/start/binomial.hpp"

#include <array>
#include <bit>

#include <fmt/format.h>

#include "base/error.hpp"

namespace fathom::probe {

std::int64_t broadcast_word(Group& group, std::int64_t word, Nanoseconds patience) {
    const auto rank = static_cast<unsigned>(group.rank());
    const auto size = static_cast<unsigned>(group.size());
    std::array<std::int64_t, 1> message{word};
    // Rank r hears from the rank without r's lowest bit, and tells those with one lower bit more.
    const unsigned reach = rank == 0 ? std::bit_ceil(size) : rank & (~rank + 1);
    if (rank != 0) {
        const auto from = static_cast<int>(rank - reach);
        if (!group.receive_words(from, message, patience)) {
            throw NotMeasured(
                fmt::format("rank {} was silent for {}; was it stopped, or is its host overloaded?", from,
                            time_text(static_cast<double>(patience.count))));
        }
    }
    for (unsigned step = reach / 2; step > 0; step /= 2) {
        if (rank + step < size) {
            group.send_words(static_cast<int>(rank + step), message);
        }
    }
    return message[0];
}

}  // namespace fathom::probe
