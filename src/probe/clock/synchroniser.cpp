#include "probe/clock/synchroniser.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/error.hpp"
#include "plan/pairing.hpp"

namespace fathom::probe {
namespace {

using clock::Flow;
using clock::Link;

/// The longest wait for a rank that serves others first: the front end gives up after two minutes.
constexpr Nanoseconds longest_wait{100'000'000'000};

/// What a server sends to a client before it pings.
struct Invitation {
    SyncResult server;  ///< its own link to rank 0, if known
    ClockPlace place;
};

/// The link over a first hop and on.
SyncResult joined(const SyncResult& first, const SyncResult& second) {
    return {.link = clock::joined(first.link, second.link),
            .round_trip = second.round_trip,
            .pings = 0,
            .shared = first.shared && second.shared,
            .cost = {}};
}

}  // namespace

/// What a client learns: its own link to the server, and the server's to rank 0 if that is known.
struct Synchroniser::Hop {
    SyncResult own;
    SyncResult servers;
};

Synchroniser::Synchroniser(Group& group, const Clock& clock, const ClockPlace& place, const SyncRules& rules)
    : group_(group),
      clock_(clock),
      place_(place),
      rules_(rules),
      chosen_(
          clock::choose_schedule(rules_.scheme, plan::host_numbers(group.all(place.host)), rules_.arity)) {}

SyncResult Synchroniser::synchronise() {
    meet();
    const auto begin = clock_.now();
    auto result = chosen_.schedule->flow() == Flow::down ? go_down() : go_up();
    result.cost = {group_.largest((clock_.now() - begin).count)};
    return result;
}

void Synchroniser::meet() {
    const std::int64_t size = group_.size();
    const std::int64_t rank = group_.rank();
    std::array<std::int64_t, 1> token{};
    for (std::int64_t distance = 1; distance < size; distance *= 2) {
        const auto from = static_cast<int>((rank - distance + size) % size);
        group_.send_words(static_cast<int>((rank + distance) % size), token);
        if (!group_.receive_words(from, token, longest_wait)) {
            complain_of_silence(std::array{from}, longest_wait);
        }
    }
}

/// A client may have to wait until its server is done with earlier rounds, and others with their turns.
Nanoseconds Synchroniser::invitation_within() const {
    const auto waits =
        (chosen_.schedule->rounds() + std::int64_t{1}) * (rules_.take_turns ? group_.size() : 1);
    const auto within =
        std::min<std::int64_t>(waits, longest_wait.count / rules_.pings.answer_within.count + 1);
    return {rules_.pings.answer_within.count * within};
}

Synchroniser::Hop Synchroniser::be_client(int server) {
    const auto invitation = receive_value<Invitation>(group_, server, invitation_within());
    if (!invitation) {
        throw NotMeasured(fmt::format("rank {} did not begin to synchronise its clock within {}", server,
                                      time_text(static_cast<double>(invitation_within().count))));
    }
    auto pings = rules_.pings;
    pings.resolution = std::max(place_.resolution, invitation->place.resolution);
    const auto sounding = ask(group_, clock_, server, pings);
    Hop hop{.own = {.link = sounding.link,
                    .round_trip = sounding.round_trip,
                    .pings = sounding.pings,
                    .shared = false,
                    .cost = {}},
            .servers = invitation->server};
    hop.own.shared =
        place_.identity != 0 && place_.identity == invitation->place.identity && sounding.link.contains({0});
    if (hop.own.shared && rules_.use_shared_clocks) {
        const auto resolution = place_.resolution;
        hop.own.link = {
            .at = sounding.link.at, .offset = {0}, .low = Nanoseconds{0} - resolution, .high = resolution};
    }
    return hop;
}

void Synchroniser::be_server(const std::vector<int>& clients, const SyncResult& own) {
    const auto invite = [&](int client) { send_value(group_, client, Invitation{own, place_}); };
    if (rules_.take_turns) {
        for (const int client : clients) {
            invite(client);
            answer(group_, clock_, std::array{client}, rules_.pings);
        }
        return;
    }
    for (const int client : clients) {
        invite(client);
    }
    answer(group_, clock_, clients, rules_.pings);
}

void Synchroniser::walk(const std::function<void(const clock::PingRound&)>& ask_in,
                        const std::function<void(const clock::PingRound&)>& serve_in) {
    const int rank = group_.rank();
    const auto ping_rounds = chosen_.schedule->ping_rounds(rank);
    auto next = ping_rounds.begin();
    for (int round = 0; round < chosen_.schedule->rounds(); ++round) {
        const auto* own = next != ping_rounds.end() && next->round == round ? &*next++ : nullptr;
        const bool serves = own != nullptr && own->server == rank;
        const bool asks = own != nullptr && !serves;
        // Turns go from rank to rank, and servers take theirs: a client asks when its server's has come.
        if (asks && (!rules_.take_turns || own->server < rank)) {
            ask_in(*own);
        }
        await_turn(round);
        if (serves) {
            serve_in(*own);
        }
        pass_turn(round);
        if (asks && rules_.take_turns && own->server > rank) {
            ask_in(*own);
        }
    }
}

void Synchroniser::await_turn(int round) {
    if (!rules_.take_turns || (round == 0 && group_.rank() == 0)) {
        return;
    }
    const int before = (group_.rank() + group_.size() - 1) % group_.size();
    std::array<std::int64_t, 1> turn{};
    if (!group_.receive_words(before, turn, invitation_within())) {
        complain_of_silence(std::array{before}, invitation_within());
    }
}

void Synchroniser::pass_turn(int round) {
    const int after = (group_.rank() + 1) % group_.size();
    const bool last = after == 0 && round + 1 == chosen_.schedule->rounds();
    if (rules_.take_turns && !last) {
        group_.send_words(after, std::array{std::int64_t{round}});
    }
}

SyncResult Synchroniser::go_down() {
    SyncResult result;
    result.shared = true;
    result.link.at = clock_.now();  // rank 0 is the global clock
    walk(
        [&](const clock::PingRound& exchange) {
            const auto hop = be_client(exchange.server);
            result = hop.own;
            if (exchange.server != 0) {
                result.link = clock::joined(hop.own.link, hop.servers.link);
                result.shared = hop.own.shared && hop.servers.shared;
            }
        },
        [&](const clock::PingRound& exchange) { be_server(exchange.clients, result); });
    return result;
}

SyncResult Synchroniser::go_up() {
    const int rank = group_.rank();
    const int size = group_.size();
    const int power = clock::power_of_two_within(size);
    std::vector<SyncResult> below;  // from here to ranks rank + 1, rank + 2, ...
    SyncResult from_last;           // of one of the remaining ranks: from here to its partner
    int pings = 0;
    // The remaining ranks ask in a round of their own, in which no differences travel.
    const auto is_last_round = [&](const clock::PingRound& exchange) {
        return exchange.clients.front() >= power;
    };
    walk(
        [&](const clock::PingRound& exchange) {
            const auto hop = be_client(exchange.server);
            pings += hop.own.pings;
            if (is_last_round(exchange)) {
                from_last = hop.own;
                return;
            }
            below.push_back(hop.own);
            for (const auto& difference : values_from<SyncResult>(group_.receive(exchange.server))) {
                below.push_back(joined(hop.own, difference));
            }
        },
        [&](const clock::PingRound& exchange) {
            be_server(exchange.clients, {});
            if (!is_last_round(exchange)) {
                group_.send(exchange.clients.front(), bytes_of_all<SyncResult>(below));
            }
        });
    // Rank 0 knows the first group; it receives the remaining ranks' links, computes all and distributes
    // them.
    const auto patience = invitation_within();
    const auto receive_from = [&](int other) {
        const auto result = receive_value<SyncResult>(group_, other, patience);
        if (!result) {
            throw NotMeasured(fmt::format("rank {} did not report its clock offsets", other));
        }
        return *result;
    };
    if (rank != 0) {
        if (rank >= power) {
            send_value(group_, 0, from_last);
        }
        auto own = receive_from(0);
        own.pings = pings;
        return own;
    }
    for (int other = power; other < size; ++other) {
        auto back = receive_from(other);
        back.link = clock::reversed(back.link);
        const int partner = other - power;
        below.push_back(partner == 0 ? back : joined(below[static_cast<std::size_t>(partner - 1)], back));
    }
    for (int other = 1; other < size; ++other) {
        auto result = below[static_cast<std::size_t>(other - 1)];
        result.link = clock::reversed(result.link);
        send_value(group_, other, result);
    }
    SyncResult own;
    own.link.at = clock_.now();
    own.shared = true;
    own.pings = pings;
    return own;
}

}  // namespace fathom::probe
