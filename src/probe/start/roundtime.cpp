#include "probe/start/roundtime.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "probe/start/binomial.hpp"

namespace fathom::probe {
namespace {

constexpr Nanoseconds longest_margin{1'000'000'000};
/// The share of announcements that is to be early enough, before head-room.
constexpr double early_share = 0.98;
constexpr double head_room = 1.25;
/// Reading the clock and converting global to own time once the message has arrived.
constexpr std::int64_t reaction_ns = 200;

}  // namespace

bool RoundTime::align() {
    const auto announced = model_.global(clock_.now()) + margin_;
    const Nanoseconds planned{broadcast_word(group_, announced.count, longest_silence)};
    const auto target = model_.own(planned);
    const auto now = clock_.now();
    under_way_ns_.push_back((now - target).count + margin_.count);
    if (now >= target) {
        return false;
    }
    clock_.wait_until(target);
    return true;
}

void RoundTime::adapt(std::int64_t invalid, std::int64_t count) {
    std::int64_t needed = 0;
    if (!under_way_ns_.empty()) {
        const auto place =
            static_cast<std::size_t>(early_share * static_cast<double>(under_way_ns_.size() - 1));
        const auto nth = under_way_ns_.begin() + static_cast<std::ptrdiff_t>(place);
        std::nth_element(under_way_ns_.begin(), nth, under_way_ns_.end());
        needed = *nth;
    }
    under_way_ns_.clear();
    const auto wanted =
        static_cast<std::int64_t>(head_room * static_cast<double>(group_.largest(needed))) + reaction_ns;
    // Shrinks slowly, grows at once.
    margin_ = {std::max(wanted, margin_.count / 2)};
    if (margin_ > longest_margin || (invalid == count && margin_ == longest_margin)) {
        throw NoCommonStart(fmt::format(
            "starts had to be announced more than {} ahead, since messages took that long: a link "
            "was down or a rank stood still; --start barrier needs no clock",
            time_text(static_cast<double>(longest_margin.count))));
    }
}

}  // namespace fathom::probe
