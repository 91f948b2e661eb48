#include "probe/start/window.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "probe/start/binomial.hpp"

namespace fathom::probe {
namespace {

constexpr Nanoseconds smallest_slot{1'000};
/// A slot that must grow further than this will never suffice.
constexpr std::int64_t most_growth = 10'000;
constexpr double growth = 1.5;

}  // namespace

Window::Window(Group& group, const Clock& clock, const clock::DriftModel& model, Nanoseconds slot)
    : group_(group),
      clock_(clock),
      model_(model),
      slot_(std::max(slot, smallest_slot)),
      largest_slot_{std::max<std::int64_t>(slot_.count * most_growth, 1'000'000'000)} {}

void Window::begin(std::int64_t /*count*/) {
    // The message has to reach every rank before the first slot.
    constexpr Nanoseconds shortest_lead{200'000};
    const auto lead = std::max(shortest_lead, slot_ + slot_);
    next_ = {broadcast_word(group_, (model_.global(clock_.now()) + lead).count, longest_silence)};
}

bool Window::align() {
    const auto target = model_.own(next_);
    next_ = next_ + slot_;
    if (clock_.now() >= target) {
        return false;
    }
    clock_.wait_until(target);
    return true;
}

bool Window::in_time(Nanoseconds end) {
    return end < model_.own(next_);
}

void Window::adapt(std::int64_t invalid, std::int64_t count) {
    if (static_cast<double>(invalid) <= tolerated_share * static_cast<double>(count)) {
        return;
    }
    slot_ = {static_cast<std::int64_t>(static_cast<double>(slot_.count) * growth)};
    if (slot_ > largest_slot_) {
        throw NoCommonStart(
            fmt::format("the slot had to grow beyond {} and still {} of {} repetitions did not fit; "
                        "a link was down, a rank stood still or other programs disturb the machine "
                        "(--start barrier needs no slots)",
                        time_text(static_cast<double>(largest_slot_.count)), invalid, count));
    }
}

}  // namespace fathom::probe
