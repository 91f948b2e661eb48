#include "probe/start/binomial.hpp"

#include <array>
#include <bit>

#include <fmt/format.h>

#include "base/error.hpp"

namespace fathom::probe {
namespace {

/// Rank r receives from the rank without r's lowest bit, and sends to those with one more lower bit.
unsigned reach_of(const Group& group) {
    const auto rank = static_cast<unsigned>(group.rank());
    return rank == 0 ? std::bit_ceil(static_cast<unsigned>(group.size())) : rank & (~rank + 1);
}

int parent_of(const Group& group) {
    return group.rank() - static_cast<int>(reach_of(group));
}

template <typename Visit>
void each_child(const Group& group, Visit visit) {
    for (auto step = static_cast<int>(reach_of(group) / 2); step > 0; step /= 2) {
        if (group.rank() + step < group.size()) {
            visit(group.rank() + step);
        }
    }
}

}  // namespace

std::int64_t broadcast_word(Group& group, std::int64_t word, Nanoseconds patience) {
    std::array<std::int64_t, 1> message{word};
    if (group.rank() != 0 && !group.receive_words(parent_of(group), message, patience)) {
        throw NotMeasured(
            fmt::format("rank {} did not answer for {}; was it stopped, or is its host overloaded?",
                        parent_of(group), time_text(static_cast<double>(patience.count))));
    }
    each_child(group, [&](int child) { group.send_words(child, message); });
    return message[0];
}

std::string broadcast_text_idle(Group& group, const std::string& text) {
    const auto message = group.rank() == 0 ? text : group.receive_idle(parent_of(group));
    each_child(group, [&](int child) { group.send(child, message); });
    return message;
}

}  // namespace fathom::probe
