#include "probe/loops/slowest_pair.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include <fmt/format.h>

#include "base/error.hpp"
#include "plan/pairing.hpp"

namespace fathom::probe {
namespace {

constexpr int pings = 20;
constexpr int every_pair_up_to = 64;
constexpr Nanoseconds patience{10'000'000'000};

void receive(Group& group, int from) {
    std::array<std::int64_t, 1> word{};
    if (!group.receive_words(from, word, patience)) {
        throw NotMeasured(fmt::format("rank {} did not answer during the search for the slowest pair", from));
    }
}

/// The smallest of some round trips.
std::int64_t round_trip(Group& group, const Clock& clock, int partner) {
    constexpr std::array<std::int64_t, 1> word{};
    std::int64_t smallest = INT64_MAX;
    for (int ping = 0; ping < pings; ++ping) {
        const auto begin = clock.now();
        group.send_words(partner, word);
        receive(group, partner);
        smallest = std::min(smallest, (clock.now() - begin).count);
    }
    return smallest;
}

void answer(Group& group, int partner) {
    constexpr std::array<std::int64_t, 1> word{};
    for (int ping = 0; ping < pings; ++ping) {
        receive(group, partner);
        group.send_words(partner, word);
    }
}

/// Whom a rank meets in a round; all pairs, or those with rank 0.
int partner_in(int procs, int round, int rank) {
    if (procs <= every_pair_up_to) {
        return plan::tournament_partner(procs, round, rank);
    }
    return rank == 0 ? round + 1 : rank == round + 1 ? 0 : plan::nobody;
}

}  // namespace

std::pair<int, int> slowest_pair(Group& group, const Clock& clock) {
    const int procs = group.size();
    const int rounds = procs <= every_pair_up_to ? plan::tournament_rounds(procs) : procs - 1;
    std::int64_t longest = -1;
    int with = plan::nobody;
    for (int round = 0; round < rounds; ++round) {
        const int partner = partner_in(procs, round, group.rank());
        if (partner == plan::nobody) {
            continue;
        }
        if (partner < group.rank()) {
            answer(group, partner);
            continue;
        }
        const auto time = round_trip(group, clock, partner);
        if (time > longest) {
            longest = time;
            with = partner;
        }
    }
    const auto times = group.all(longest);
    const auto partners = group.all(with);
    const auto slowest = std::max_element(times.begin(), times.end()) - times.begin();
    return {static_cast<int>(slowest), static_cast<int>(partners[static_cast<std::size_t>(slowest)])};
}

}  // namespace fathom::probe
