#include "tree/hosts.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "tree/contributors.hpp"

namespace fathom::tree {
namespace {

/// A number of ranks or hosts; nothing for another text.
std::optional<int> count_from(std::string_view text) {
    int count = 0;
    const auto* end = text.data() + text.size();
    const auto [rest, code] = std::from_chars(text.data(), end, count);
    return code == std::errc() && rest == end && count >= 1 && count <= most_leaves ? std::optional(count)
                                                                                    : std::nullopt;
}

}  // namespace

Hosts block_hosts(int procs, int hosts) {
    if (hosts < 1 || hosts > procs) {
        throw BadInput(fmt::format("{} hosts for {} ranks: every host needs a rank; give 1 to {} hosts",
                                   hosts, procs, procs));
    }
    Hosts placed;
    placed.reserve(static_cast<std::size_t>(procs));
    for (int host = 0; host < hosts; ++host) {
        const int ranks = procs / hosts + (host < procs % hosts ? 1 : 0);
        placed.insert(placed.end(), static_cast<std::size_t>(ranks), fmt::format("host{}", host));
    }
    return placed;
}

Hosts hosts_from(std::string_view text, int procs) {
    const auto number = trimmed(text);
    if (!number.empty() && number.find_first_not_of("0123456789") == std::string::npos) {
        const auto hosts = count_from(number);
        if (!hosts) {
            throw BadInput(
                fmt::format("'{}' is not a number of hosts; give 1 to {}", text, std::max(procs, 1)));
        }
        if (procs < 1) {
            throw BadInput(fmt::format(
                "'{}' does not say where ranks are; give hosts with their ranks, such as a:4,b:4", text));
        }
        return block_hosts(procs, *hosts);
    }
    Hosts placed;
    const auto words = split(text, ',');
    for (const auto& word : words) {
        const auto colon = word.rfind(':');
        const auto name = trimmed(std::string_view(word).substr(0, colon));
        const auto ranks = colon == std::string::npos
                               ? std::optional(1)
                               : count_from(trimmed(std::string_view(word).substr(colon + 1)));
        if (name.empty() || !ranks || placed.size() + static_cast<std::size_t>(*ranks) > most_leaves) {
            throw BadInput(fmt::format(
                "'{}' is not a host list; give a number of hosts, or hosts with their ranks, such as a:4,b:4",
                text));
        }
        placed.insert(placed.end(), static_cast<std::size_t>(*ranks), name);
    }
    if (placed.empty()) {
        throw BadInput(
            "the host list is empty; give a number of hosts, or hosts with their ranks, such as a:4,b:4");
    }
    if (procs > 0) {
        if (placed.size() < static_cast<std::size_t>(procs)) {
            throw BadInput(fmt::format(
                "the host list has places for {} of {} ranks; add hosts, or give more ranks to one",
                placed.size(), procs));
        }
        placed.resize(static_cast<std::size_t>(procs));
    }
    return placed;
}

std::vector<HostRanks> ranks_by_host(const Hosts& hosts) {
    std::vector<HostRanks> all;
    std::unordered_map<std::string, std::size_t> position;
    for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
        const auto [found, is_new] = position.try_emplace(hosts[rank], all.size());
        if (is_new) {
            all.push_back({.host = hosts[rank], .ranks = {}});
        }
        all[found->second].ranks.push_back(static_cast<int>(rank));
    }
    return all;
}

}  // namespace fathom::tree
