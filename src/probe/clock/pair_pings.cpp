#include "probe/clock/pair_pings.hpp"

#include <array>
#include <cstring>

namespace fathom::probe {
namespace {

std::string packed(const journal::ClockPings& pings) {
    std::vector<std::int64_t> words{pings.at_ns, pings.offset_ns, pings.low_ns, pings.high_ns};
    words.insert(words.end(), pings.round_trips_ns.begin(), pings.round_trips_ns.end());
    return {reinterpret_cast<const char*>(words.data()), words.size() * sizeof words.front()};
}

journal::ClockPings unpacked(const std::string& text) {
    constexpr std::size_t head = 4;
    std::vector<std::int64_t> words(text.size() / sizeof(std::int64_t));
    std::memcpy(words.data(), text.data(), words.size() * sizeof words.front());
    journal::ClockPings pings;
    pings.at_ns = words.at(0);
    pings.offset_ns = words.at(1);
    pings.low_ns = words.at(2);
    pings.high_ns = words.at(3);
    pings.round_trips_ns.assign(words.begin() + head, words.end());
    return pings;
}

}  // namespace

void exchange_and_record(ClockBench& bench, int round, int asking, int answering, const PingRules& rules) {
    auto& world = bench.world;
    journal::ClockPings pings;
    if (world.rank() == answering) {
        // An invitation, so that no ping waits for an answer that is not ready.
        world.send_words(asking, std::array{std::int64_t{0}});
        answer(world, bench.clock, std::array{asking}, rules);
    } else if (world.rank() == asking) {
        std::array<std::int64_t, 1> invitation{};
        if (!world.receive_words(answering, invitation, rules.answer_within)) {
            complain_of_silence(std::array{answering}, rules.answer_within);
        }
        const auto sounding = ask(world, bench.clock, answering, rules, &pings.round_trips_ns);
        pings.at_ns = sounding.link.at.count;
        pings.offset_ns = sounding.link.offset.count;
        pings.low_ns = sounding.link.low.count;
        pings.high_ns = sounding.link.high.count;
        world.send(0, packed(pings));
    }
    if (world.rank() == 0) {
        pings = unpacked(world.receive(asking));
        pings.round = round;
        pings.asking = asking;
        pings.answering = answering;
        bench.journal->write(pings);
    }
}

}  // namespace fathom::probe
