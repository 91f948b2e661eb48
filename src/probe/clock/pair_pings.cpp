#include "probe/clock/pair_pings.hpp"

#include <array>

namespace fathom::probe {

void exchange_and_record(ClockBench& bench, int round, int asking, int answering, const PingRules& rules) {
    auto& world = bench.world;
    if (world.rank() == answering) {
        // An invitation, so that no ping waits for an answer that is not ready.
        world.send_words(asking, std::array{std::int64_t{0}});
        answer(world, bench.clock, std::array{asking}, rules);
    } else if (world.rank() == asking) {
        std::array<std::int64_t, 1> invitation{};
        if (!world.receive_words(answering, invitation, rules.answer_within)) {
            complain_of_silence(std::array{answering}, rules.answer_within);
        }
        journal::ClockPings pings;
        pings.round = round;
        pings.asking = asking;
        pings.answering = answering;
        const auto sounding = ask(world, bench.clock, answering, rules, &pings.round_trips_ns);
        pings.at_ns = sounding.link.at.count;
        pings.offset_ns = sounding.link.offset.count;
        pings.low_ns = sounding.link.low.count;
        pings.high_ns = sounding.link.high.count;
        world.send(0, journal::packed(pings));
    }
    if (world.rank() == 0) {
        bench.journal->write(journal::unpacked(world.receive(asking)).value());
    }
}

}  // namespace fathom::probe
