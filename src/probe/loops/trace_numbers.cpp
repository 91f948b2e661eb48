#include "probe/loops/trace_numbers.hpp"

#include <algorithm>

namespace fathom::probe {

void TraceNumbers::begin(std::int64_t rep, std::int64_t call) {
    const auto expected = [&](const Stretch& last) { return last.call + (rep - last.rep) * calls_per_rep_; };
    if (stretches_.empty() || expected(stretches_.back()) != call) {
        stretches_.push_back({.call = call, .rep = rep});
    }
    last_rep_ = rep;
}

std::optional<std::int64_t> TraceNumbers::in_point(std::int64_t call) const {
    const auto after =
        std::upper_bound(stretches_.begin(), stretches_.end(), call,
                         [](std::int64_t one, const Stretch& other) { return one < other.call; });
    if (after == stretches_.begin()) {
        return std::nullopt;
    }
    const auto& own = *(after - 1);
    const auto number = own.rep * calls_per_rep_ + call - own.call;
    const auto end = (after == stretches_.end() ? last_rep_ + 1 : after->rep) * calls_per_rep_;
    return number < end ? std::optional(number) : std::nullopt;
}

std::vector<journal::CallEvent> TraceNumbers::renumbered(std::vector<journal::CallEvent> events) const {
    std::erase_if(events, [&](const auto& event) { return !in_point(event.call); });
    for (auto& event : events) {
        event.call = *in_point(event.call);
    }
    return events;
}

}  // namespace fathom::probe
