#include "plan/pairing.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>
#include <optional>
#include <sstream>

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

}  // namespace fathom::plan
