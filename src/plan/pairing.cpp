#include "plan/pairing.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"

namespace fathom::plan {
namespace {

std::optional<int> rank_from(std::string_view text) {
    constexpr int most = 100'000'000;
    int number = 0;
    const auto [rest, code] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (code != std::errc() || rest != text.data() + text.size() || number < 0 || number > most) {
        return std::nullopt;
    }
    return number;
}

/// Processes that were named already; says what is wrong with another one, if anything.
class Seen {
  public:
    explicit Seen(std::size_t pairs) : processes_(static_cast<int>(2 * pairs)) {}

    std::string take(int process, std::size_t place, std::string_view what) {
        if (process >= processes_) {
            return fmt::format("process {} is too high: {} pairs use processes 0 to {}, each once", process,
                               processes_ / 2, processes_ - 1);
        }
        const auto [first, is_new] = places_.try_emplace(process, place);
        return is_new ? ""
                      : fmt::format("process {} is already in {} {}; list each once", process, what,
                                    first->second);
    }

  private:
    int processes_;
    std::map<int, std::size_t> places_;
};

/// Ranks in an order in which the first half and the second are on different hosts as far as that can be: by
/// host, one that has more than half of them first. Of an odd number the last is left over: one of such a
/// host, if there is one.
std::vector<int> by_host(std::span<const int> hosts) {
    std::map<int, int> count;
    for (const int host : hosts) {
        ++count[host];
    }
    const auto crowded = [&](int rank) {
        return 2 * count[hosts[static_cast<std::size_t>(rank)]] > static_cast<int>(hosts.size());
    };
    std::vector<int> order(hosts.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
        const auto key = [&](int rank) {
            return std::pair(!crowded(rank), hosts[static_cast<std::size_t>(rank)]);
        };
        return key(a) < key(b);
    });
    if (order.size() % 2 == 1 && crowded(order.front())) {
        const auto others = std::find_if_not(order.begin(), order.end(), crowded);
        std::rotate(others - 1, others, order.end());
    }
    return order;
}

void join(Pairing& pairing, int leader, int partner) {
    pairing.partner[static_cast<std::size_t>(leader)] = partner;
    pairing.partner[static_cast<std::size_t>(partner)] = leader;
    pairing.leads[static_cast<std::size_t>(leader)] = true;
}

}  // namespace

std::pair<int, int> parse_pair(std::string_view text) {
    const auto dash = text.find('-');
    if (dash != std::string_view::npos) {
        const auto a = rank_from(text.substr(0, dash));
        const auto b = rank_from(text.substr(dash + 1));
        if (a && b && *a != *b) {
            return {*a, *b};
        }
    }
    throw BadInput("give two different processes such as 0-5");
}

void check_pairs(std::span<const std::string> pairs) {
    Seen seen(pairs.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const auto [a, b] = parse_pair(pairs[i]);
        for (const int process : {a, b}) {
            if (const auto wrong = seen.take(process, i + 1, "pair"); !wrong.empty()) {
                throw BadInput(wrong);
            }
        }
    }
}

std::vector<std::string> read_pairs(std::string_view text, const std::string& source) {
    struct Line {
        std::size_t number;
        int a;
        int b;
    };
    std::vector<Line> lines;
    std::istringstream stream{std::string(text)};
    std::string line;
    for (std::size_t number = 1; std::getline(stream, line); ++number) {
        std::istringstream words(line.substr(0, line.find('#')));
        std::vector<std::string> found;
        for (std::string word; words >> word;) {
            found.push_back(word);
        }
        if (found.empty()) {
            continue;
        }
        const auto a = rank_from(found.front());
        const auto b = rank_from(found.back());
        if (found.size() != 2 || !a || !b || *a == *b) {
            throw BadInput(
                fmt::format("{}:{}: give two different processes, such as '0 5'.", source, number));
        }
        lines.push_back({number, *a, *b});
    }
    if (lines.empty()) {
        throw BadInput(fmt::format("{} has no pairs; give two processes per line, such as '0 5'.", source));
    }
    Seen seen(lines.size());
    std::vector<std::string> pairs;
    for (const auto& at : lines) {
        for (const int process : {at.a, at.b}) {
            if (const auto wrong = seen.take(process, at.number, "line"); !wrong.empty()) {
                throw BadInput(fmt::format("{}:{}: {}.", source, at.number, wrong));
            }
        }
        pairs.push_back(fmt::format("{}-{}", at.a, at.b));
    }
    return pairs;
}

Pairing pairing_of(std::span<const std::string> pairs, std::span<const int> hosts) {
    const auto procs = static_cast<int>(hosts.size());
    Pairing pairing{.partner = std::vector<int>(hosts.size(), nobody),
                    .leads = std::vector<bool>(hosts.size(), false)};
    for (const auto& pair : pairs) {
        const auto [a, b] = parse_pair(pair);
        if (std::max(a, b) < procs) {
            join(pairing, a, b);
        }
    }
    if (!pairs.empty()) {
        return pairing;
    }
    const auto half = hosts.size() / 2;
    std::vector<int> order(hosts.size());
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = 0; i < half; ++i) {
        if (hosts[i] == hosts[i + half]) {
            order = by_host(hosts);
            break;
        }
    }
    for (std::size_t i = 0; i < half; ++i) {
        join(pairing, order[i], order[i + half]);
    }
    return pairing;
}

int tournament_rounds(int procs) {
    return procs % 2 == 0 ? procs - 1 : procs;
}

/// The circle method: in round k those two meet whose numbers add up to k modulo the rounds; who would meet
/// themselves meet the last of an even number, or nobody.
int tournament_partner(int procs, int round, int rank) {
    const int rounds = tournament_rounds(procs);
    const bool even = procs % 2 == 0;
    if (even && rank == procs - 1) {
        // 2 x = round modulo an odd number: half of it, or half of it and the rounds.
        return round % 2 == 0 ? round / 2 : (round + rounds) / 2;
    }
    const int partner = ((round - rank) % rounds + rounds) % rounds;
    return partner != rank ? partner : even ? procs - 1 : nobody;
}

PairSchedule PairSchedule::contended(int procs) {
    return PairSchedule(std::max(0, procs));
}

PairSchedule::PairSchedule(int procs)
    : procs_(procs), contended_(true), rounds_(std::max(1, tournament_rounds(procs))) {}

PairSchedule::PairSchedule(std::vector<int> hosts, bool contended)
    : hosts_(std::move(hosts)), procs_(static_cast<int>(hosts_.size())), contended_(contended) {
    if (contended_) {
        rounds_ = std::max(1, tournament_rounds(procs_));
        return;
    }
    for (std::size_t rank = 0; rank < hosts_.size(); ++rank) {
        const auto host = static_cast<std::size_t>(hosts_[rank]);
        members_.resize(std::max(members_.size(), host + 1));
        members_[host].push_back(static_cast<int>(rank));
    }
    const auto count = [&](int host) {
        return static_cast<std::int64_t>(members_[static_cast<std::size_t>(host)].size());
    };
    const auto all = static_cast<int>(members_.size());
    begins_.push_back(0);
    for (int meeting = 0; meeting < tournament_rounds(all); ++meeting) {
        std::int64_t longest = 0;
        for (int host = 0; host < all; ++host) {
            if (const int other = tournament_partner(all, meeting, host); other != nobody) {
                longest = std::max(longest, count(host) * count(other));
            }
        }
        begins_.push_back(begins_.back() + longest);
    }
    std::int64_t within = 0;
    for (int host = 0; host < all; ++host) {
        within = std::max(within, count(host) * (count(host) - 1) / 2);
    }
    rounds_ = std::max<std::int64_t>(1, begins_.back() + within);
}

int PairSchedule::partner(std::int64_t round, int rank) const {
    if (rank < 0 || rank >= procs_) {
        return nobody;
    }
    if (contended_) {
        return tournament_partner(procs_, static_cast<int>(round), rank);
    }
    return round < begins_.back() ? partner_between(round, rank)
                                  : partner_within(round - begins_.back(), rank);
}

/// While two hosts meet, each member of the first meets one member of the second after the other.
int PairSchedule::partner_between(std::int64_t round, int rank) const {
    const auto meeting = std::upper_bound(begins_.begin(), begins_.end(), round) - begins_.begin() - 1;
    const int own = hosts_[static_cast<std::size_t>(rank)];
    const int other = tournament_partner(static_cast<int>(members_.size()), static_cast<int>(meeting), own);
    if (other == nobody) {
        return nobody;
    }
    const auto& first = members_[static_cast<std::size_t>(std::min(own, other))];
    const auto& second = members_[static_cast<std::size_t>(std::max(own, other))];
    const auto place = static_cast<std::size_t>(round - begins_[static_cast<std::size_t>(meeting)]);
    if (place >= first.size() * second.size()) {
        return nobody;  // other hosts have more ranks
    }
    const int a = first[place % first.size()];
    const int b = second[place / first.size()];
    return rank == a ? b : rank == b ? a : nobody;
}

/// In the order (0, 1), (0, 2), (1, 2), (0, 3), ... of the members of a host.
int PairSchedule::partner_within(std::int64_t round, int rank) const {
    const auto& members = members_[static_cast<std::size_t>(hosts_[static_cast<std::size_t>(rank)])];
    // The largest number of which high (high - 1) / 2 pairs come before; the root is off by less than one.
    const auto before = [](std::int64_t high) { return high * (high - 1) / 2; };
    auto high = static_cast<std::int64_t>((1 + std::sqrt(1 + 8 * static_cast<double>(round))) / 2);
    high += before(high + 1) <= round ? 1 : 0;
    high -= before(high) > round ? 1 : 0;
    if (high >= static_cast<std::int64_t>(members.size())) {
        return nobody;  // other hosts have more ranks
    }
    const int a = members[static_cast<std::size_t>(round - before(high))];
    const int b = members[static_cast<std::size_t>(high)];
    return rank == a ? b : rank == b ? a : nobody;
}

}  // namespace fathom::plan
