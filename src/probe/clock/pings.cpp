#include "probe/clock/pings.hpp"

#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"

namespace fathom::probe {
namespace {

constexpr std::int64_t ping = 1;
constexpr std::int64_t done = 0;

}  // namespace

void complain_of_silence(std::span<const int> ranks, Nanoseconds waited) {
    throw NotMeasured(
        fmt::format("rank {} did not answer clock pings for {}; was it stopped, or is its host overloaded?",
                    fmt::join(ranks, ", "), time_text(static_cast<double>(waited.count))));
}

clock::Sounding ask(Group& group, const Clock& clock, int server, const PingRules& rules,
                    std::vector<std::int64_t>* round_trips_ns) {
    clock::PairEstimator estimator(rules.resolution);
    const std::array<std::int64_t, 1> question{ping};
    std::array<std::int64_t, 1> reply{};
    try {
        while (!estimator.settled(rules.patience) && estimator.pings() < rules.most) {
            const auto sent = clock.now();
            group.send_words(server, question);
            if (!group.receive_words(server, reply, rules.answer_within)) {
                complain_of_silence(std::array{server}, rules.answer_within);
            }
            const auto received = clock.now();
            estimator.add({.sent = sent, .remote = {reply[0]}, .received = received});
            if (round_trips_ns != nullptr) {
                round_trips_ns->push_back((received - sent).count);
            }
        }
    } catch (const NotMeasured& error) {
        throw NotMeasured(fmt::format("clocks of ranks {} and {}: {}", group.rank(), server, error.what()));
    }
    group.send_words(server, std::array{done});
    return estimator.sounding();
}

void answer(Group& group, const Clock& clock, std::span<const int> clients, const PingRules& rules) {
    const auto silent = group.serve(
        clients, done, [&] { return clock.now().count; }, rules.answer_within);
    if (!silent.empty()) {
        complain_of_silence(silent, rules.answer_within);
    }
}

}  // namespace fathom::probe
