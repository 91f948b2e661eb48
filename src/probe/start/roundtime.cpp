#include "probe/start/roundtime.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "probe/start/binomial.hpp"

namespace fathom::probe {
namespace {

constexpr Nanoseconds longest_message{1'000'000'000};
/// The share of announcements that is to be early enough, before head-room.
constexpr double early_share = 0.98;
constexpr double head_room = 1.25;
/// Reading the clock and converting global to own time once the message has arrived.
constexpr std::int64_t reaction_ns = 200;

/// The time that is enough for most of them; 0 without any.
std::int64_t enough_for_most(std::vector<std::int64_t>& times_ns) {
    if (times_ns.empty()) {
        return 0;
    }
    const auto place = static_cast<std::size_t>(early_share * static_cast<double>(times_ns.size() - 1));
    const auto nth = times_ns.begin() + static_cast<std::ptrdiff_t>(place);
    std::nth_element(times_ns.begin(), nth, times_ns.end());
    return *nth;
}

}  // namespace

bool RoundTime::align() {
    const auto entered = clock_.now();
    if (started_) {
        longest_call_ = std::max(longest_call_, entered - *started_);
    }
    const auto announced = model_.global(entered) + margin_;
    const Nanoseconds planned{broadcast_word(group_, announced.count, longest_silence)};
    const auto target = model_.own(planned);
    const auto now = clock_.now();
    under_way_ns_.push_back((now - target).count + margin_.count);
    started_ = std::max(now, target);
    if (now >= target) {
        return false;
    }
    clock_.wait_until(target);
    return true;
}

void RoundTime::adapt(std::int64_t /*invalid*/, std::int64_t /*count*/) {
    const auto needed = group_.largest(enough_for_most(under_way_ns_));
    // Ranks receive an announcement when they, and those that pass it on, have left the call before.
    if (needed > longest_message.count &&
        needed > longest_message.count + group_.largest(longest_call_.count)) {
        throw NoCommonStart(
            fmt::format("messages that announce starts took more than {}: a link was down or a rank stood "
                        "still; --start barrier needs no clock",
                        time_text(static_cast<double>(longest_message.count))));
    }
    const auto wanted = static_cast<std::int64_t>(head_room * static_cast<double>(needed)) + reaction_ns;
    // Shrinks slowly, grows at once.
    margin_ = {std::max(wanted, margin_.count / 2)};
    under_way_ns_.clear();
    longest_call_ = {0};
    started_.reset();
}

}  // namespace fathom::probe
